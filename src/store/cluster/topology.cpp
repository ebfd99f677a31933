#include "store/cluster/topology.h"

#include "base/signal_free_thread.h"
#include "redis/connection.h"
#include "redis/server.h"
#include "redis/url_text.h"

#include <pawl/error.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::store {
namespace {

// A node that does not answer must not delay the others for long. If none answers, all get more time.
constexpr std::chrono::milliseconds first_limit{250};

}  // namespace

std::chrono::milliseconds reload_pause::after_load(base::boot_time now, bool news) noexcept
{
    using std::chrono::milliseconds;
    constexpr milliseconds shortest{100};
    constexpr milliseconds longest{1'000};
    if (!since_ || news || now - last_ > 2 * longest) since_ = now;
    last_ = now;
    return std::clamp(std::chrono::duration_cast<milliseconds>(now - *since_) / 10, shortest,
                      longest);
}

topology::topology(std::shared_ptr<base::platform> platform, redis::deployment where,
                   redis::transport::limits within, std::function<void()> loaded)
    : platform_{std::move(platform)},
      where_{std::move(where)},
      limits_{within},
      loaded_{std::move(loaded)}
{
    // Now, so that a bad certificate is an error of the client's constructor.
    const redis::server first{where_.servers.front()};
}

topology::~topology()
{
    stop_.request_stop();
    std::thread ending;
    {
        const common::scoped_lock guard{mutex_};
        ending.swap(thread_);
    }
    if (ending.joinable()) ending.join();
}

std::optional<node_address> topology::owner(std::uint16_t slot) const
{
    const common::scoped_lock guard{mutex_};
    const auto* const found = table_.owner(slot);
    return found != nullptr ? std::optional{*found} : std::nullopt;
}

std::size_t topology::owner_number(std::uint16_t slot) const
{
    const common::scoped_lock guard{mutex_};
    return table_.owner_number(slot);
}

bool topology::is_owner(const node_address& node) const
{
    const common::scoped_lock guard{mutex_};
    return table_.is_owner(node);
}

std::vector<node_address> topology::owners() const
{
    const common::scoped_lock guard{mutex_};
    auto all = table_.nodes();
    std::erase_if(all,
                  [&](const auto& each) PAWL_REQUIRES(mutex_) { return !table_.is_owner(each); });
    return all;
}

void topology::moved(const redis::redirection& to)
{
    const common::scoped_lock guard{mutex_};
    table_.moved(to.slot, {to.host, to.port});
}

void topology::reload()
{
    bool started = true;
    {
        const common::scoped_lock guard{mutex_};
        if (std::exchange(wanted_, true)) return;
        started = start_thread();
    }
    changed_.notify_all();
    if (!started) loaded_();
}

// False if there is no thread. Like a network failure, this may pass: the next caller tries again.
bool topology::start_thread()
{
    if (thread_.joinable() || stop_.stop_requested()) return true;
    try {
        thread_ = base::signal_free_thread([this, stop = stop_.get_token()] { run(stop); });
        return true;
    } catch (const std::system_error& e) {
        problem_ = redis::failure{redis::failure_kind::unreachable, e.what(), false};
        wanted_ = false;
        ++loads_;
        return false;
    }
}

std::uint64_t topology::loads() const
{
    const common::scoped_lock guard{mutex_};
    return loads_;
}

std::optional<redis::failure> topology::problem() const
{
    const common::scoped_lock guard{mutex_};
    return problem_;
}

bool topology::wait_for_load(std::uint64_t loads, base::boot_time until,
                             const base::interrupt* stop)
{
    reload();
    const auto left = until - platform_->now();
    const auto by = std::chrono::steady_clock::now() + std::max(left, left.zero());
    const auto token = stop != nullptr ? stop->token() : std::stop_token{};
    common::unique_lock held{mutex_};
    return changed_.wait_until(held, token, by,
                               [&]() PAWL_REQUIRES(mutex_) { return loads_ > loads; });
}

redis::server_config topology::config_of(const node_address& node) const
{
    auto config = where_.found;
    config.where.host = node.host;
    config.where.port = node.port;
    config.shown = redis::shown_host(config.where);
    return config;
}

void topology::run(const std::stop_token& stop)
{
    const base::interrupt ending{stop};
    reload_pause pauses;
    while (!stop.stop_requested()) {
        {
            common::unique_lock held{mutex_};
            const bool wanted =
                changed_.wait(held, stop, [this]() PAWL_REQUIRES(mutex_) { return wanted_; });
            if (!wanted) return;
            wanted_ = false;
        }
        auto got = load(ending);
        if (stop.stop_requested()) return;
        bool news = false;
        {
            const common::scoped_lock guard{mutex_};
            problem_.reset();
            if (auto* const fresh = std::get_if<slot_table>(&got)) {
                news = !table_.has_owners_of(*fresh);
                table_ = std::move(*fresh);
            } else {
                problem_ = std::get<redis::failure>(std::move(got));
            }
            ++loads_;
        }
        changed_.notify_all();
        loaded_();
        const auto now = platform_->now();
        static_cast<void>(platform_->pause(now + pauses.after_load(now, news), &ending));
    }
}

// Random: after a failover or a partition, some nodes may have an old table.
std::vector<node_address> topology::candidates()
{
    std::vector<node_address> all;
    {
        const common::scoped_lock guard{mutex_};
        all = table_.nodes();
    }
    for (std::size_t i = all.size(); i > 1; --i) {
        const auto other =
            static_cast<std::size_t>(platform_->random_unit() * static_cast<double>(i));
        std::swap(all[i - 1], all[other]);
    }
    for (const auto& each : where_.servers) {
        node_address node{each.where.host, each.where.port};
        if (std::ranges::find(all, node) == all.end()) all.push_back(std::move(node));
    }
    return all;
}

topology::loaded_table topology::load(const base::interrupt& stop)
{
    using kind = redis::failure_kind;
    redis::failure why{kind::unreachable, "the Cluster has no nodes", false};
    bool any_late = true;
    bool nobody = true;
    for (const auto limit : {std::min(first_limit, limits_.connect), limits_.connect}) {
        if (!std::exchange(any_late, false)) break;
        for (const auto& node : candidates()) {
            auto got = ask(node, limit, stop);
            const auto* const problem = std::get_if<redis::failure>(&got);
            if (problem == nullptr || problem->what == kind::cancelled) return got;
            any_late =
                any_late || problem->what == kind::no_reply || problem->what == kind::unreachable;
            nobody = nobody && problem->what == kind::nobody_listens;
            // What a node says is more useful than that another one cannot be reached.
            if (problem->what == kind::refused || why.what != kind::refused) why = *problem;
        }
    }
    if (!nobody && why.what == kind::nobody_listens) why.what = kind::unreachable;
    why.sent = false;
    return why;
}

topology::loaded_table topology::ask(const node_address& node, std::chrono::milliseconds limit,
                                     const base::interrupt& stop) const
{
    auto config = config_of(node);
    config.may_be_replica = true;
    try {
        const redis::server server{config};
        const auto until = platform_->now() + limit;
        redis::connection connection{server, until, &stop};
        if (!connection.ready()) return connection.problem();
        connection.send([](const auto&, auto& out) {
            redis::append_request(out, std::array<std::string_view, 2>{"CLUSTER", "SLOTS"});
            return 1U;
        });
        const auto reply = connection.next_reply(until, &stop);
        if (!reply) return connection.problem();
        if (reply->is_error()) return redis::failure_of_error(reply->text());
        auto table = slot_table::read(*reply, node.host);
        if (table) return std::move(*table);
        return redis::failure{redis::failure_kind::not_now,
                              "the node " + config.shown + " knows no slots of the Cluster"};
    } catch (const error& e) {
        return redis::failure{redis::failure_kind::refused, e.what()};
    } catch (const std::system_error& e) {
        // Out of descriptors. Like a network failure, this may pass.
        return redis::failure{redis::failure_kind::unreachable, e.what()};
    }
}

}  // namespace pawl::store
