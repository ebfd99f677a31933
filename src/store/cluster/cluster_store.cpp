#include "store/cluster/cluster_store.h"

#include "store/cluster/itinerary.h"
#include "store/cluster/renewal.h"
#include "store/cluster/route.h"
#include "store/redis/keys.h"
#include "store/redis/reading.h"
#include "store/survey.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace pawl::store {

cluster_store::cluster_store(std::shared_ptr<base::platform> platform, base::scheduler& loop,
                             cluster_settings settings)
    : platform_{std::move(platform)},
      loop_{loop},
      shown_{settings.where.shown},
      nodes_{platform_, loop_, std::move(settings)}
{
}

core::reply cluster_store::execute(const core::request& what, base::boot_time until,
                                   const base::interrupt* stop)
{
    using kind = itinerary::next::kind;
    if (const auto* const renewals = std::get_if<core::renew_request>(&what)) {
        return execute_each(*renewals, until, stop);
    }
    const auto slot = slot_of(object_of(what));
    if (const auto* const refused = std::get_if<core::failure>(&slot)) {
        return core::failed(what, *refused);
    }
    itinerary way{has_one_key(what)};
    while (true) {
        const auto found = owner(std::get<std::uint16_t>(slot), until, stop);
        if (found.node == nullptr) return core::failed(what, found.why);
        const auto try_until = std::min(until, platform_->now() + nodes_.longest_try());
        auto got = ask(*found.node, what, try_until, stop);
        const auto* why = core::failure_in(got);
        if (why == nullptr) return got;
        auto next = way.on_failure(*why, found.node->address);
        nodes_.note(next);
        if (next.what == kind::ask) {
            const auto there = nodes_.at(next.where);
            if (there.node == nullptr) return got;
            got = there.node->server.execute_asking(what, try_until, stop);
            why = core::failure_in(got);
            if (why == nullptr) return got;
            next = way.on_failed_ask(*why);
            nodes_.note(next);
        }
        if (next.what == kind::finish) return got;
        if (next.what != kind::pause) continue;
        const auto when = platform_->now() + way.pause();
        // If no node answers at all, the caller need not wait.
        if (when >= until || nodes_.map().problem()) return got;
        if (!platform_->pause(when, stop)) {
            return core::failed(what, {.what = core::failure_kind::cancelled});
        }
    }
}

core::reply cluster_store::execute_each(const core::renew_request& all, base::boot_time until,
                                        const base::interrupt* stop)
{
    core::renew_request::reply replies;
    replies.reserve(all.all.size());
    for (const auto& each : all.all) {
        const auto got = execute(core::exchange_request{each}, until, stop);
        replies.push_back(std::get<core::hold_reply>(got));
    }
    return replies;
}

// Waits until the table is loaded, if it was never loaded or has a gap.
cluster_nodes::found cluster_store::owner(std::uint16_t slot, base::boot_time until,
                                          const base::interrupt* stop)
{
    const auto loads = nodes_.map().loads();
    auto found = nodes_.owner(slot);
    if (found.node != nullptr) return found;
    const bool loaded = nodes_.map().wait_for_load(loads, until, stop);
    found = nodes_.owner(slot);
    if (found.node == nullptr && stop != nullptr && stop->token().stop_requested()) {
        found.why = {.what = core::failure_kind::cancelled};
    } else if (found.node == nullptr && !loaded) {
        found.why = {.what = core::failure_kind::unreachable,
                     .detail = "no node of the Cluster has answered in time"};
    }
    return found;
}

core::reply cluster_store::ask(cluster_node& at, const core::request& what, base::boot_time until,
                               const base::interrupt* stop)
{
    const auto client = nodes_.client();
    if (client.empty()) return at.server.execute(what, until, stop);
    if (const auto lingers = lingering_need_of(what)) {
        if (at.ears.look(*lingers) == hearing::state::deaf) at.ears.want(client, *lingers);
    }
    const auto need = hearing_need_of(what);
    if (!need) return at.server.execute(what, until, stop);
    const auto* const acquire = std::get_if<core::acquire_request>(&what);
    if (acquire == nullptr) {
        // The waiter looks often if this client cannot listen.
        static_cast<void>(listens(at, *need, until, stop));
        return at.server.execute(what, until, stop);
    }
    std::optional<core::reply> before;
    if (acquire->first && at.ears.look(*need) != hearing::state::hears) {
        // Most locks are free, and then no channel is needed.
        before = at.server.execute(without_place(*acquire), until, stop);
        if (!is_busy(*before)) return std::move(*before);
    }
    if (listens(at, *need, until, stop)) return ask_for_place(at, what, until, stop);
    if (before) return std::move(*before);
    return at.server.execute(without_place(*acquire), until, stop);
}

// The first request to a node does not join, because its clock is not known. The reply tells it.
core::reply cluster_store::ask_for_place(cluster_node& at, const core::request& what,
                                         base::boot_time until, const base::interrupt* stop)
{
    auto got = at.server.execute(what, until, stop);
    if (is_without_place(got)) got = at.server.execute(what, until, stop);
    return got;
}

bool cluster_store::listens(cluster_node& at, const hearing_need& need, base::boot_time until,
                            const base::interrupt* stop)
{
    if (at.ears.look(need) == hearing::state::hears) return true;
    at.ears.want(nodes_.client(), need);
    // The request needs some of the time.
    const auto now = platform_->now();
    return at.ears.wait(need, now + (until - now) / 2, stop) == hearing::state::hears;
}

void cluster_store::submit(core::request what, std::chrono::milliseconds patience,
                           still_wanted wanted, reply_handler done)
{
    const journey::surroundings around{*platform_, loop_, nodes_};
    if (auto* const renewals = std::get_if<core::renew_request>(&what)) {
        const auto all = std::make_shared<renewal>(around, std::move(*renewals), patience,
                                                   std::move(wanted), std::move(done));
        loop_.post([all] { all->go(); });
        return;
    }
    const auto slot = slot_of(object_of(what));
    if (const auto* const refused = std::get_if<core::failure>(&slot)) {
        loop_.post([got = core::failed(what, *refused), done = std::move(done)] { done(got); });
        return;
    }
    const auto one = std::make_shared<journey>(
        around, journey::call{std::move(what), std::get<std::uint16_t>(slot), patience,
                              std::move(wanted), std::move(done)});
    loop_.post([one] { one->go(); });
}

std::optional<core::failure> cluster_store::ping(base::boot_time until)
{
    const auto loads = nodes_.map().loads();
    const auto try_until = std::min(until, platform_->now() + nodes_.longest_try());
    if (loads > 0 && !ping_owners(try_until)) return std::nullopt;
    // The table may be old.
    if (!nodes_.map().wait_for_load(loads, until, nullptr)) {
        return core::failure{.what = core::failure_kind::unreachable,
                             .detail = "no node of the Cluster has answered in time"};
    }
    return ping_owners(until);
}

// All primaries, because each has some of the locks.
std::optional<core::failure> cluster_store::ping_owners(base::boot_time until)
{
    if (const auto problem = nodes_.map().problem()) return failure_of(*problem);
    for (const auto& each : nodes_.map().owners()) {
        const auto found = nodes_.at(each);
        if (found.node == nullptr) return found.why;
        if (auto problem = found.node->server.ping(until)) return problem;
    }
    return std::nullopt;
}

server_list cluster_store::servers(std::string_view lock, base::boot_time until)
{
    if (!lock.empty()) {
        const auto found = owner(hash_slot(lock), until, nullptr);
        if (found.node == nullptr) return {.problem = found.why};
        return {.names = {found.node->way.shown()}};
    }
    if (nodes_.map().owners().empty() && !nodes_.map().wait_for_load(0, until, nullptr)) {
        return {.problem = core::failure{.what = core::failure_kind::unreachable,
                                         .detail = "no node of the Cluster has answered in time"}};
    }
    const auto owners = nodes_.map().owners();
    const auto problem = nodes_.map().problem();
    if (owners.empty() && problem) return {.problem = failure_of(*problem)};
    server_list got;
    for (const auto& each : owners) {
        const auto found = nodes_.at(each);
        if (found.node == nullptr) return {.problem = found.why};
        got.names.push_back(found.node->way.shown());
    }
    return got;
}

// Null if it has no slots any more.
cluster_node* cluster_store::named(std::string_view server)
{
    for (const auto& each : nodes_.map().owners()) {
        auto* const node = nodes_.at(each).node;
        if (node != nullptr && node->way.shown() == server) return node;
    }
    return nullptr;
}

std::vector<server_answer> cluster_store::ask(const std::vector<server_question>& questions,
                                              base::boot_time until)
{
    std::vector<survey::target> targets;
    for (const auto& each : questions) {
        auto* const node = named(each.server);
        targets.push_back(node != nullptr ? survey::target{&node->way, each} : survey::target{});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - platform_->now());
    auto all = survey::ask({*platform_, loop_, std::max(left, std::chrono::milliseconds{1})},
                           targets, until);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (targets[i].way == nullptr) all[i] = no_such_server(questions[i].server);
        note(all[i]);
    }
    return all;
}

// The table may be old.
void cluster_store::note(const server_answer& got)
{
    using kind = core::failure_kind;
    const auto has_moved = [](const auto& each) {
        return each.problem && each.problem->what == kind::elsewhere;
    };
    if (got.problem || std::ranges::any_of(got.replies, has_moved)) nodes_.map().reload();
}

std::size_t cluster_store::part_of(const core::object& what) const
{
    return nodes_.map().owner_number(hash_slot(core::names_of(what).front()));
}

}  // namespace pawl::store
