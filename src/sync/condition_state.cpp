#include "sync/condition_state.h"

#include "base/platform.h"
#include "core/exchange.h"
#include "sync/async_access.h"
#include "sync/message.h"
#include "sync/validate.h"

#include <pawl/error.h>

#include <system_error>
#include <utility>
#include <variant>

namespace pawl::sync {
namespace {

constexpr std::string_view waiting = "wait for";
constexpr std::string_view notifying = "notify";

std::shared_ptr<const core::object> with_condition(const core::object& lock, std::string_view name)
{
    core::check_name("condition name", name);
    struct named {
        std::string name;
        core::object what;
    };
    const auto made = std::make_shared<named>(named{std::string{name}, lock});
    made->what.condition = &made->name;
    return {made, &made->what};
}

maybe_trouble trouble_in(const core::hold_reply& got)
{
    if (const auto* const problem = std::get_if<core::failure>(&got)) return trouble_of(*problem);
    const auto status = std::get<core::hold_status>(got);
    if (status == core::hold_status::done) return std::nullopt;
    return trouble{errc::not_a_lock, {}};
}

}  // namespace

condition_state::condition_state(std::shared_ptr<client_state> client, const lock_settings& lock,
                                 std::string_view name)
    : client_{std::move(client)}, condition_{with_condition(lock.what, name)}
{
    if (client_->is_quorum()) refuse_on_quorum("condition_variable");
}

// Throws if it is not one of this condition's lock.
grant_ptr condition_state::grant_of(const hold& held) const
{
    auto mine = client_->inherited() ? nullptr : async_access::look_at(held);
    if (!mine) refuse_to_wait();
    const auto& what = *mine->lease().what;
    if (&mine->client() != client_.get() || what.name != condition_->name ||
        what.kind != condition_->kind || what.layout != condition_->layout) {
        raise(waiting, {errc::bad_argument,
                        "the hold is one of " + in_quotes(what.name) +
                            " (allowed: a hold of the mutex that the condition was made for)"});
    }
    return mine;
}

// The hold is empty afterwards. Throws if it is already: another thread has used it.
maybe_trouble condition_state::leave(hold& held, condition_wait& waits) const
{
    const auto taken = async_access::take(held);
    if (!taken) refuse_to_wait();
    return waits.leave(*taken);
}

void condition_state::refuse_to_wait() const
{
    if (client_->inherited()) raise(waiting, {errc::wrong_process, {}});
    raise(waiting, {errc::not_owner, "nothing is held"});
}

bool condition_state::wait(hold& held, time_limit limit, const std::stop_token& stop)
{
    const auto old = grant_of(held);
    // Until the lease_keeper has the new lease.
    const base::call_under_way mark{client_->platform()};
    // If this throws, the hold still has the lock.
    condition_wait waits{*client_, *old, {condition_, limit, stop}, old->how_to_release()};
    if (const auto lost = leave(held, waits)) raise(waiting, *lost);
    try {
        client_->driver().run(waits, nullptr);
    } catch (const std::system_error& e) {
        raise(waiting, {errc::unreachable, e.what()});
    }
    auto& got = waits.outcome();
    if (const auto* const failed = std::get_if<trouble>(&got)) raise(waiting, *failed);
    auto& woken = std::get<condition_wait::woken>(got);
    held = async_access::make(std::move(woken.granted));
    return woken.notified;
}

void condition_state::wait(hold held, time_limit limit,
                           std::unique_ptr<async::acquire_completion> told, std::stop_token stop)
{
    const auto old = grant_of(held);
    // If this throws, the hold still has the lock.
    auto waits = std::make_unique<condition_wait>(*client_, *old,
                                                  condition_wait::question{condition_, limit, stop},
                                                  release_mode::in_background);
    if (const auto lost = leave(held, *waits)) raise(waiting, *lost);
    auto done = [self = *this, stop = std::move(stop),
                 told = std::move(told)](condition_wait& over) {
        auto& got = over.outcome();
        if (const auto* const failed = std::get_if<trouble>(&got)) {
            told->done(hold{}, failed->code, self.message(waiting, *failed));
            return;
        }
        auto& woken = std::get<condition_wait::woken>(got);
        auto granted = async_access::make(std::move(woken.granted));
        if (woken.notified) {
            told->done(std::move(granted), {}, {});
            return;
        }
        const trouble why{stop.stop_requested() ? errc::cancelled : errc::timed_out, {}};
        told->done(std::move(granted), why.code, self.message(waiting, why));
    };
    client_->start(std::move(waits), std::stop_token{}, std::move(done));
}

void condition_state::notify(bool all)
{
    if (client_->inherited()) raise(notifying, {errc::wrong_process, {}});
    const auto got = client_->ask(core::notify_request{condition_.get(), all}).what;
    if (const auto failed = trouble_in(got)) raise(notifying, *failed);
}

void condition_state::notify(bool all, std::unique_ptr<async::completion> told)
{
    if (client_->inherited()) raise(notifying, {errc::wrong_process, {}});
    if (const auto failed = client_->prepare()) raise(notifying, *failed);
    auto machine = std::make_unique<core::exchange_machine>(
        core::notify_request{condition_.get(), all}, client_->options().command_limit,
        client_->random(), condition_);
    client_->start(std::move(machine),
                   [self = *this, told = std::shared_ptr<async::completion>{std::move(told)}](
                       const core::exchange_machine& over) {
                       const auto failed = trouble_in(std::get<core::hold_reply>(over.result()));
                       if (failed) {
                           told->done(failed->code, self.message(notifying, *failed));
                       } else {
                           told->done({}, {});
                       }
                   });
}

void condition_state::raise(std::string_view action, const trouble& what) const
{
    throw error{what.code, message(action, what)};
}

std::string condition_state::message(std::string_view action, const trouble& what) const
{
    const auto whole = std::string{action} + ' ' + in_quotes(name()) + " of";
    return describe(whole, condition_->name, client_->server(), what.code, what.detail);
}

}  // namespace pawl::sync
