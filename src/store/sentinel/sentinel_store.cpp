#include "store/sentinel/sentinel_store.h"

#include "redis/server.h"
#include "redis/url_text.h"
#include "store/redis/reading.h"

#include <pawl/error.h>

#include <algorithm>
#include <stop_token>
#include <utility>

namespace pawl::store {
namespace {

using core::failure_kind;

// Whether the request may be sent to another server in the same call.
bool is_to_be_sent_again(const core::reply& got)
{
    const auto* const problem = core::failure_in(got);
    return problem != nullptr && !problem->maybe_executed &&
           (problem->what == failure_kind::unreachable || problem->what == failure_kind::elsewhere);
}

// The files of certificates are checked before the address of the primary is known.
redis::deployment checked(redis::deployment where)
{
    auto trial = where.found;
    trial.where.host = where.servers.front().where.host;
    const redis::server accepted{std::move(trial)};
    return where;
}

}  // namespace

sentinel_store::sentinel_store(std::shared_ptr<const base::platform> platform,
                               base::event_loop& loop, redis::deployment where, settings how)
    : platform_{std::move(platform)},
      loop_{&loop},
      where_{checked(std::move(where))},
      how_{std::move(how)},
      watch_{loop, where_, how_.within, [this] { on_news(); }}
{
}

// ── From any thread ─────────────────────────────────────────────────────────────────────────────

core::reply sentinel_store::execute(const core::request& what, base::boot_time until,
                                    const base::interrupt* stop)
{
    // A few times only: if connections fail although the primary answers, the caller pauses before it repeats.
    constexpr int most_tries = 3;
    core::reply got;
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto found = wait_for_primary(until, stop);
        if (const auto* const problem = std::get_if<core::failure>(&found)) {
            return core::failed(what, *problem);
        }
        got = std::get<primary_ptr>(found)->server.execute(what, until, stop);
        if (!is_to_be_sent_again(got)) break;
    }
    return got;
}

std::optional<core::failure> sentinel_store::ping(base::boot_time until)
{
    const auto found = wait_for_primary(until, nullptr);
    if (const auto* const problem = std::get_if<core::failure>(&found)) return *problem;
    return std::get<primary_ptr>(found)->server.ping(until);
}

server_list sentinel_store::servers(std::string_view /*lock*/, base::boot_time until)
{
    const auto found = wait_for_primary(until, nullptr);
    if (const auto* const problem = std::get_if<core::failure>(&found)) {
        return {.problem = *problem};
    }
    return {.names = {std::get<primary_ptr>(found)->server.shown()}};
}

std::vector<server_answer> sentinel_store::ask(const std::vector<server_question>& questions,
                                               base::boot_time until)
{
    const auto found = wait_for_primary(until, nullptr);
    if (const auto* const problem = std::get_if<core::failure>(&found)) {
        return std::vector<server_answer>(questions.size(), server_answer{.problem = *problem});
    }
    return std::get<primary_ptr>(found)->server.ask(questions, until);
}

void sentinel_store::begin()
{
    if (begun_ || begun_.exchange(true)) return;
    loop_->post([this] { watch_.start(); });
}

std::variant<sentinel_store::primary_ptr, core::failure> sentinel_store::wait_for_primary(
    base::boot_time until, const base::interrupt* stop)
{
    begin();
    const auto left = until - base::boot_clock::now();
    const auto by = std::chrono::steady_clock::now() + std::max(left, left.zero());
    const auto token = stop != nullptr ? stop->token() : std::stop_token{};
    common::unique_lock held{mutex_};
    const auto known = [this]() PAWL_REQUIRES(mutex_) { return ready_ || hopeless_; };
    if (!known()) static_cast<void>(changed_.wait_until(held, token, by, known));
    if (ready_) return current_;
    if (hopeless_) return *hopeless_;
    if (token.stop_requested()) return core::failure{.what = failure_kind::cancelled};
    return still_searching();
}

core::failure sentinel_store::still_searching() const
{
    return {.what = failure_kind::unreachable,
            .detail = last_problem_.empty() ? "no sentinel has answered yet"
                                            : "no primary answers: " + last_problem_};
}

void sentinel_store::trouble(unsigned number)
{
    {
        const common::scoped_lock guard{mutex_};
        if (!ready_ || current_->number != number) return;
        ready_ = false;
    }
    loop_->post([this] { search(); });
}

bool sentinel_store::is_ready() const
{
    const common::scoped_lock guard{mutex_};
    return ready_;
}

sentinel_store::primary_ptr sentinel_store::current() const
{
    const common::scoped_lock guard{mutex_};
    return current_;
}

void sentinel_store::set_hopeless(std::optional<core::failure> why)
{
    {
        const common::scoped_lock guard{mutex_};
        hopeless_ = std::move(why);
        if (!hopeless_) return;
    }
    changed_.notify_all();
}

// ── On the loop: which server it is ─────────────────────────────────────────────────────────────

void sentinel_store::search()
{
    if (is_ready()) return;
    watch_.search(true);
    probe();
}

void sentinel_store::on_news()
{
    const auto& believed = watch_.choice().believed();
    const auto present = current();
    if (believed && (!present || present->number != believed->number)) {
        switch_to(*believed);
        return;
    }
    if (present) {
        if (!is_ready()) probe();
        return;
    }
    const auto problem = watch_.choice().problem();
    set_hopeless(problem);
    if (problem) fail_queued(*problem);
}

sentinel_store::primary_ptr sentinel_store::connected_to(const primary_choice::primary& next)
{
    auto config = where_.found;
    config.where.host = next.where.host;
    config.where.port = next.where.port;
    config.shown = redis::shown_host(config.where);
    auto way =
        std::make_unique<primary_transport>(*loop_, std::move(config), how_.pool_size, how_.within,
                                            [this, number = next.number] { trouble(number); });
    auto* const kept = way.get();
    // Destroyed in a task of its own: a task that was posted before may still use it.
    const auto destroy = [loop = loop_](primary* what) {
        loop->post([owned = std::shared_ptr<primary>{what}] {});
    };
    return {
        new primary{next.number,
                    kept,
                    {platform_, std::move(way), how_.clock_drift,
                     server_settings{
                         .replicated = true, .acks = how_.acks, .counted_in = how_.counted_in}}},
        destroy};
}

void sentinel_store::switch_to(const primary_choice::primary& next)
{
    primary_ptr fresh;
    try {
        fresh = connected_to(next);
    } catch (const error& e) {
        const core::failure why{.what = failure_kind::refused, .detail = e.what()};
        set_hopeless(why);
        fail_queued(why);
        return;
    }
    primary_ptr old;
    {
        const common::scoped_lock guard{mutex_};
        old = std::exchange(current_, fresh);
        ready_ = false;
        hopeless_.reset();
    }
    probing_ = false;
    probed_at_ = {};
    watch_.search(true);
    // Before the old one is left: then waiters are told that they hear nothing, and ask the new one.
    if (listener_ != nullptr) fresh->server.listen(client_, *this);
    probe();
    if (!old) return;
    has_moved_ = true;
    old->way->leave();
}

void sentinel_store::probe()
{
    constexpr std::chrono::milliseconds shortest_pause{50};
    const auto now = base::boot_clock::now();
    const auto present = current();
    if (!present || probing_ || now < probed_at_ + shortest_pause) return;
    probing_ = true;
    probed_at_ = now;
    present->way->probe([this, number = present->number](const redis::failure* problem) {
        if (current()->number == number) on_probed(problem);
    });
}

void sentinel_store::on_probed(const redis::failure* problem)
{
    probing_ = false;
    {
        const common::scoped_lock guard{mutex_};
        ready_ = problem == nullptr;
        last_problem_ = problem == nullptr ? "" : problem->detail;
    }
    if (problem != nullptr) return;  // the next news bring the next try
    changed_.notify_all();
    watch_.search(false);
    send_queued();
    if (std::exchange(has_moved_, false)) moved_();
}

// ── On the loop: requests and messages ──────────────────────────────────────────────────────────

void sentinel_store::submit(core::request what, std::chrono::milliseconds patience,
                            still_wanted wanted, reply_handler done)
{
    begin();
    if (is_ready()) {
        current()->server.submit(std::move(what), patience, std::move(wanted), std::move(done));
    } else {
        wait_in_queue(std::move(what), patience, std::move(wanted), std::move(done));
    }
}

void sentinel_store::wait_in_queue(core::request what, std::chrono::milliseconds patience,
                                   still_wanted wanted, reply_handler done)
{
    // Earlier than the caller gives up, so that it is told the reason.
    const auto now = base::boot_clock::now();
    auto give_up = now + patience - patience / 8;
    {
        const common::scoped_lock guard{mutex_};
        if (hopeless_) give_up = now;
    }
    const auto id = ++last_queued_;
    const auto timer = loop_->call_at(give_up, [this, id] {
        const auto late = queue_.extract(id);
        core::failure why;
        {
            const common::scoped_lock guard{mutex_};
            why = hopeless_ ? *hopeless_ : still_searching();
        }
        late.mapped().done(core::failed(late.mapped().what, why));
    });
    queue_.emplace(
        id, queued{std::move(what), now + patience, std::move(wanted), std::move(done), timer});
}

void sentinel_store::send_queued()
{
    const auto present = current();
    const auto now = base::boot_clock::now();
    for (auto& [id, each] : std::exchange(queue_, {})) {
        loop_->cancel(each.timer);
        if (!each.wanted()) continue;
        // At least something, even if this turn of the loop is late: a connection that is silent for longer than that
        // is closed.
        constexpr std::chrono::milliseconds least{100};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(each.until - now);
        present->server.submit(std::move(each.what), std::max(left, least), std::move(each.wanted),
                               std::move(each.done));
    }
}

void sentinel_store::fail_queued(const core::failure& why)
{
    for (const auto& [id, each] : std::exchange(queue_, {})) {
        loop_->cancel(each.timer);
        each.done(core::failed(each.what, why));
    }
}

void sentinel_store::listen(std::string_view client, notice_listener& who)
{
    client_ = client;
    listener_ = &who;
    if (const auto present = current()) present->server.listen(client_, *this);
    begin();
}

void sentinel_store::listening(bool now)
{
    // First, so that the waiters who are told wait for the next primary.
    if (!now) trouble(current()->number);
    listener_->listening(now);
}

void sentinel_store::doubt()
{
    if (const auto present = current()) present->server.doubt();
}

}  // namespace pawl::store
