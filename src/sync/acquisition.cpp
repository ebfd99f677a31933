#include "sync/acquisition.h"

#include "base/mutant.h"
#include "core/object.h"
#include "sync/client_state.h"

#include <memory>
#include <utility>
#include <variant>

namespace pawl::sync {
namespace {

core::lease_ptr new_lease(client_state& client, const settings_ptr& shared)
{
    const auto& settings = *shared;
    const auto lease = std::make_shared<core::lease>();
    lease->what = {shared, &settings.what};
    const bool same = base::is(base::mutant::d38_same_holder);
    lease->holder = core::make_holder(same ? client.id() : client.platform().random_id());
    // So that the server can tell us when someone else wants it.
    if (settings.linger.count() > 0) lease->holder += client.room().client();
    lease->length = settings.lease;
    lease->renew = settings.renew;
    lease->announce = settings.announce;
    return lease;
}

}  // namespace

acquisition::acquisition(client_state& client, const settings_ptr& settings, taking how)
    : client_{&client},
      how_{std::move(how)},
      lease_{new_lease(client, settings)},
      machine_{plan(*settings), client.random()}
{
    lease_->watcher = std::move(how_.watcher);
    lease_->reserve = how_.reserve;
    if (settings->joins && !how_.limit.is_now()) {
        place_.emplace(client.room(), lease_->holder);
    }
}

acquisition::~acquisition()
{
    // Out of descriptors, anywhere on the way: there may be a place in the queue, or a grant.
    if (concluded_) return;
    note_place();
    const auto until = client_->platform().now() + client_->options().command_limit;
    client_->leases().give_back(lease_, until);
}

core::acquire_plan acquisition::plan(const lock_settings& settings) const
{
    core::acquire_plan plan;
    plan.mine = lease_->mine();
    plan.lease = lease_->length;
    plan.poll_interval = settings.poll_interval;
    plan.command_limit = client_->options().command_limit;
    plan.drift = client_->options().clock_drift;
    plan.limit = how_.limit;
    plan.joins = settings.joins;
    plan.fair = settings.fair;
    plan.client = client_->room().client();
    plan.reserve = how_.reserve;
    // A store has no use for it where numbers are set aside or nobody may be overtaken.
    const bool overtakes = settings.fair && !base::is(base::mutant::bare_overtakes);
    if (how_.reserve == 0 && !overtakes) plan.hint = how_.hint;
    plan.silent_before = how_.silent_before;
    return plan;
}

core::acquire_step acquisition::start()
{
    return checked(machine_.start(client_->platform().now()));
}

core::acquire_step acquisition::on_reply(const core::acquire_reply& got)
{
    if (!std::holds_alternative<core::granted>(got)) note_place();
    if (place_ && std::holds_alternative<core::busy>(got)) client_->room().listen();
    return checked(machine_.on_reply(got, client_->platform().now()));
}

core::acquire_step acquisition::on_time()
{
    note_place();
    return checked(machine_.on_time(client_->platform().now()));
}

core::acquire_step acquisition::on_cancel()
{
    note_place();
    return checked(machine_.on_cancel(client_->platform().now()));
}

// From now on it may have one in the server's queue, which a release must find.
void acquisition::note_place()
{
    if (place_) lease_->place_client = client_->room().client();
}

core::acquire_step acquisition::checked(core::acquire_step step)
{
    using kind = core::acquire_step::kind;
    if (place_ && step.what != kind::finish) {
        if (const auto granted = place_->take()) {
            step = machine_.on_granted(*granted, client_->platform().now());
        }
    }
    if (!client_->room().is_listening()) step.request.wait.reset();
    return step;
}

taken acquisition::conclude()
{
    concluded_ = true;
    const auto& got = machine_.result();
    if (got.failure) {
        const bool clean_up = !base::is(base::mutant::d9_no_cleanup) &&
                              !base::is(base::mutant::d32_waiter_stays) &&
                              !base::is(base::mutant::grant_after_limit);
        if (got.uncertain && clean_up) {
            client_->room().gave_up(lease_, got.wanted_until);
            place_.reset();
            client_->leases().give_back(lease_, got.wanted_until);
        }
        return not_taken{{*got.failure, got.detail}, got.silence};
    }
    if (got.unheard) client_->room().doubt();
    lease_->fence = got.fence;
    lease_->wanted_until = got.wanted_until;
    lease_->hint = got.hint;
    lease_->has_reserve = how_.reserve > 0;
    client_->leases().add(lease_, got.sent);
    return lease_;
}

}  // namespace pawl::sync
