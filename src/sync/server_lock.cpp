#include "sync/server_lock.h"

#include "base/interrupt.h"
#include "base/mutant.h"
#include "core/acquire.h"

#include <memory>
#include <optional>
#include <system_error>

namespace pawl::sync {

using core::verdict;

namespace {

core::lease_ptr new_lease(client_state& client, const lock_settings& settings)
{
    const auto lease = std::make_shared<core::lease>();
    lease->keys = settings.keys;
    lease->holder = client.platform().random_id();
    if (base::is(base::mutant::d38_same_holder)) lease->holder = client.id();
    // So that the server can tell us when someone else wants it.
    if (settings.linger.count() > 0) lease->holder += client.room().client();
    lease->layout = settings.layout;
    lease->length = settings.lease;
    lease->renew = settings.renew;
    lease->announce = settings.announce;
    return lease;
}

core::acquire_plan plan_for(const core::lease& lease, const lock_settings& settings,
                            client_state& client, const taking& how)
{
    core::acquire_plan plan;
    plan.keys = &lease.keys;
    plan.holder = lease.holder;
    plan.layout = lease.layout;
    plan.lease = lease.length;
    plan.poll_interval = settings.poll_interval;
    plan.command_limit = client.options().command_limit;
    plan.drift = client.options().clock_drift;
    plan.limit = how.limit;
    plan.joins = settings.joins;
    plan.fair = settings.fair;
    plan.client = client.room().client();
    plan.reserve = how.reserve;
    return plan;
}

}  // namespace

std::variant<core::lease_ptr, trouble> take_from_server(client_state& client,
                                                        const lock_settings& settings,
                                                        const taking& how)
{
    auto lease = new_lease(client, settings);
    lease->when_lost = how.when_lost;
    const auto plan = plan_for(*lease, settings, client, how);
    const base::interrupt interrupt{how.stop};
    std::optional<waiting_room::place> place;
    if (plan.joins && !how.limit.is_now()) {
        place.emplace(client.room(), lease->holder);
        lease->place = core::place_in_queue(plan);
    }
    try {
        const auto got = client.run(plan, &interrupt, place ? &*place : nullptr);
        if (got.failure) {
            const bool clean_up = !base::is(base::mutant::d9_no_cleanup) &&
                                  !base::is(base::mutant::d32_waiter_stays) &&
                                  !base::is(base::mutant::grant_after_limit);
            if (got.uncertain && clean_up) {
                client.room().gave_up(lease, got.wanted_until);
                client.leases().give_back(lease, got.wanted_until);
            }
            return trouble{*got.failure, got.detail};
        }
        if (got.unheard) client.room().doubt();
        lease->fence = got.fence;
        lease->wanted_until = got.wanted_until;
        lease->has_reserve = how.reserve > 0;
        client.leases().add(lease, got.sent);
        return lease;
    } catch (const std::system_error&) {
        // Out of descriptors, anywhere on the way: there may be a place in the queue, or a grant.
        client.leases().give_back(lease, client.platform().now() + plan.command_limit);
        throw;
    }
}

maybe_trouble give_to_server(client_state& client, const core::lease_ptr& lease)
{
    auto& leases = client.leases();
    if (!leases.end(lease)) {
        // Whoever worked under it is done now, so what may be left of it on the server can go.
        leases.give_back(lease, lease->wanted_until);
        return lost_because(lease->why);
    }
    const auto got = client.run(lease->ask(core::verb::release)).what;
    const bool may_come = client.platform().now() <= lease->wanted_until;
    if (may_come || !core::is_answer(got.what)) leases.give_back(lease, lease->wanted_until);
    if (got.what == verdict::done) return std::nullopt;
    if (means_lost(got.what)) lease->why = core::cause_of(got.what);
    return trouble_of(got);
}

}  // namespace pawl::sync
