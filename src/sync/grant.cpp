#include "sync/grant.h"

#include "base/require.h"
#include "core/exchange.h"
#include "sync/departure.h"
#include "sync/local_lock.h"
#include "sync/validate.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace pawl::sync {

namespace {

// A call whose result is known before it starts. Its caller is told on the event loop nevertheless.
class nothing_to_do final : public core::machine {
public:
    core::step start(base::boot_time /*now*/) override { return over(); }
    core::step on_reply(const core::reply& /*got*/, base::boot_time /*now*/) override
    {
        return over();
    }
    core::step on_time(base::boot_time /*now*/) override { return over(); }
    core::step on_cancel(base::boot_time /*now*/, std::string_view /*why*/) override
    {
        return over();
    }

private:
    static core::step over() { return {.what = core::step::kind::finish}; }
};

std::string in_ms(std::chrono::nanoseconds time)
{
    const auto rounded = std::chrono::floor<std::chrono::milliseconds>(time);
    return std::to_string(std::max<std::chrono::milliseconds::rep>(rounded.count(), 0)) + " ms";
}

}  // namespace

maybe_trouble grant::enter(const base::interrupt* stop)
{
    if (state() == hold_state::lost) return lost_because(lease_->why);
    auto before = word_.load();
    auto after = before;
    do {
        if (!before.is_locked()) return trouble{errc::not_owner, {}};
        after = before;
        if (!after.enter()) {
            return trouble{errc::bad_argument, "entered 255 times already (allowed: 255)"};
        }
    } while (!word_.compare_exchange_weak(before, after));
    try {
        const auto length = capped(lease_->length);
        const auto got = client_->ask(lease_->count(after.holds(), length), stop);
        auto failed = note(got.what, got.sent, length);
        if (failed) {
            undo_entry();
        } else {
            client_->counters().each(lock_->measured(),
                                     [](auto& here) { here.granted[grant_way::re_entered].add(); });
        }
        return failed;
    } catch (...) {
        // For example, no descriptors are left. A count that stayed up would keep the lock for ever.
        undo_entry();
        throw;
    }
}

void grant::undo_entry()
{
    // All other holds may have left in the meantime.
    if (drop_one() == 0) static_cast<void>(release());
}

maybe_trouble grant::leave()
{
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    const auto left = drop_one();
    if (left == 0) return release();
    if (state() == hold_state::lost) return lost_because(lease_->why);
    const auto length = capped(lease_->length);
    const auto got = client_->ask(lease_->count(left, length));
    return note(got.what, got.sent, length);
}

maybe_trouble grant::leave_to_server()
{
    auto& leases = client_->leases();
    leases.notice_time(lease_);
    static_cast<void>(drop_one());
    lock_->given_back(lease_, since_);
    if (leases.end(lease_)) return std::nullopt;
    // What may be left of it at the server can go.
    leases.give_back(lease_, lease_->wanted_until);
    return lost_because(lease_->why);
}

void grant::leave(result_handler done)
{
    const auto left = drop_one();
    if (left > 0) {
        ask(lease_->count(left, capped(lease_->length)), std::move(done));
        return;
    }
    client_->start(std::make_unique<departure>(*client_, lock_, lease_, since_),
                   [done = std::move(done)](const departure& over) { done(over.outcome()); });
}

void grant::leave_unheard(result_handler done)
{
    // The nodes of a quorum keep no count, so they need not hear of an inner hold.
    if (drop_one() > 0) return;
    auto leaving = std::make_unique<departure>(*client_, lock_, lease_, since_);
    if (leaving->is_over()) {
        done(leaving->outcome());
        return;
    }
    client_->start(
        std::move(leaving),
        [done = std::move(done)](const departure& over) { done(over.outcome()); },
        call_end::unheard);
}

// A request after which the lease counts anew.
template <class Request>
void grant::ask(const Request& request, result_handler done)
{
    if (state() == hold_state::lost) {
        client_->start(std::make_unique<nothing_to_do>(),
                       [why = lost_because(lease_->why),
                        done = std::move(done)](const auto& /*over*/) { done(why); });
        return;
    }
    client_->start(std::make_unique<core::exchange_machine>(
                       request, client_->options().command_limit, client_->random(), lease_),
                   [self = shared_from_this(), length = request.lease,
                    done = std::move(done)](const core::exchange_machine& got) {
                       const auto& reply = std::get<core::hold_reply>(got.result());
                       done(self->note(reply, got.sent(), length));
                   });
}

unsigned grant::drop_one()
{
    auto before = word_.load();
    auto after = before;
    do {
        base::require(before.is_locked(), "a lock is released more often than it was acquired");
        after = before;
        after.leave();
    } while (!word_.compare_exchange_weak(before, after));
    // It is passed on only after this grant has left.
    base::require(after.is_locked() || lease_->fence == fence_,
                  "a lock is released by a hold that another one has followed");
    if (!after.is_locked() && watched_) client_->leases().reader_left(own_loss_);
    return after.holds();
}

maybe_trouble grant::release()
{
    departure leaving{*client_, lock_, lease_, since_};
    try {
        client_->driver().run(leaving, nullptr);
    } catch (const std::system_error& e) {
        // No descriptors are left. The lock is given back in the background, once that can be done.
        leaving.fail(e.what());
    }
    return leaving.outcome();
}

void grant::check_length(std::string_view option, std::chrono::milliseconds length) const
{
    validate_lease(option, length);
    if (client_->is_quorum()) validate_lease_on_quorum(option, length, client_->options());
}

maybe_trouble grant::extend(std::chrono::milliseconds length)
{
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    check_length("extend", length);
    std::chrono::nanoseconds way{};
    return lengthen(capped(length), client_->options().command_limit, way);
}

void grant::extend(std::chrono::milliseconds length, result_handler done)
{
    check_length("extend", length);
    length = capped(length);
    // Noted before the request is sent: even without an answer, the server may keep the lock that long.
    lease_->longest = std::max(lease_->longest.load(), length);
    ask(lease_->extend(length), std::move(done));
}

maybe_trouble grant::ensure(std::chrono::milliseconds duration)
{
    using std::chrono::milliseconds;
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    check_length("ensure", duration);
    if (valid_for() >= duration) return std::nullopt;
    // The deadline is earlier than the end of the lease, by the drift and by the time of the request.
    // Both are added. The first answer shows how long a request takes.
    const auto with_drift = milliseconds{static_cast<milliseconds::rep>(
        static_cast<double>(duration.count()) * (1 + 2 * client_->options().clock_drift))};
    const auto end = client_->platform().now() + client_->options().command_limit;
    std::chrono::nanoseconds way = milliseconds{50};
    while (true) {
        if (state() == hold_state::lost) return lost_because(lease_->why);
        const auto now = client_->platform().now();
        if (now >= end) return trouble{errc::unreachable, "the answer took too long"};
        const auto left = lease_->hold_ends.load() - now;
        if (left < duration) {
            return trouble{errc::bad_argument, "longest_hold allows " + in_ms(left) + " more"};
        }
        const auto length = with_drift + std::chrono::ceil<milliseconds>(way);
        const auto limit = std::chrono::ceil<milliseconds>(end - now);
        const auto wanted = capped(std::max(length, lease_->length));
        if (auto failed = lengthen(wanted, limit, way)) return failed;
        if (valid_for() >= duration) return std::nullopt;
        // A longer lease cannot be had: to ask again would not help.
        const auto longest = client_->options().longest_lease;
        if (client_->is_quorum() && length > longest) {
            return trouble{errc::bad_argument,
                           "longest_lease, " + in_ms(longest) + ", is too short to ensure that"};
        }
        way *= 2;
    }
}

// Sets `way` to the time that the answer took.
maybe_trouble grant::lengthen(std::chrono::milliseconds length, std::chrono::milliseconds limit,
                              std::chrono::nanoseconds& way)
{
    if (state() == hold_state::lost) return lost_because(lease_->why);
    // Noted before the request is sent: even without an answer, the server may keep the lock that long.
    lease_->longest = std::max(lease_->longest.load(), length);
    const auto got = client_->ask(lease_->extend(length), nullptr, limit);
    way = client_->platform().now() - got.sent;
    return note(got.what, got.sent, length);
}

maybe_trouble grant::begin_change()
{
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    if (state() == hold_state::lost) return lost_because(lease_->why);
    if (!lock_->begin_change(lease_)) return trouble{errc::busy, {}};
    lease_->changing = true;
    return std::nullopt;
}

void grant::changed()
{
    // It may have been released meanwhile.
    if (!may_end()) return;
    static_cast<void>(drop_one());
    static_cast<void>(lock_->release(lease_, since_));
    auto& leases = client_->leases();
    static_cast<void>(leases.end(lease_));
    // A delayed copy of its acquire may still arrive. Then it would join the queue, or enter once more. Or it has
    // a second place already: core/give_back.h.
    if (lease_->was_repeated()) {
        leases.give_back(lease_, lease_->wanted_until, core::giving::again);
    }
}

void grant::not_changed()
{
    lease_->changing = false;
}

void grant::not_found(core::hold_status found)
{
    client_->leases().lose(lease_, core::cause_of(found));
}

// The request may be executed at any time from now on, and then this holder is out. So it must not rely on the
// lock any more.
void grant::perhaps_changed()
{
    client_->leases().lose(lease_, cause::unreachable);
}

maybe_trouble grant::confirm(bool& still_ours)
{
    still_ours = false;
    if (client_->inherited()) return trouble{errc::wrong_process, {}};
    if (state() == hold_state::lost) return std::nullopt;
    const auto got = client_->ask(core::check_request{lease_->mine()}).what;
    if (const auto* const problem = std::get_if<core::failure>(&got)) return trouble_of(*problem);
    const auto status = std::get<core::hold_status>(got);
    if (status == core::hold_status::done) {
        still_ours = state() != hold_state::lost;
    } else {
        client_->leases().lose(lease_, core::cause_of(status));
    }
    return std::nullopt;
}

// The answer to a request after which the lease counts anew.
maybe_trouble grant::note(const core::hold_reply& got, base::boot_time sent,
                          std::chrono::milliseconds length)
{
    if (const auto* const problem = std::get_if<core::failure>(&got)) return trouble_of(*problem);
    const auto status = std::get<core::hold_status>(got);
    if (status != core::hold_status::done) {
        client_->leases().lose(lease_, core::cause_of(status));
        return lost_because(core::cause_of(status));
    }
    client_->leases().extended(lease_, length, sent);
    const auto now = state();
    if (now == hold_state::lost) return lost_because(lease_->why);
    if (now == hold_state::released) return trouble{errc::not_owner, {}};
    return std::nullopt;
}

// A lease of this length, or one that ends with the hold.
std::chrono::milliseconds grant::capped(std::chrono::milliseconds length) const
{
    const auto& options = client_->options();
    if (client_->is_quorum()) length = std::min(length, options.longest_lease);
    return lease_->capped(length, client_->platform().now(), options.clock_drift);
}

bool grant::beat()
{
    if (client_->inherited()) return false;
    // Nothing else is published with it.
    lease_->beaten_at.store(client_->platform().now(), std::memory_order_relaxed);
    return state() != hold_state::lost;
}

hold_state grant::state() const
{
    if (client_->inherited()) return hold_state::lost;
    client_->leases().notice_time(lease_);
    return lease_->state;
}

cause grant::why() const
{
    if (client_->inherited()) return cause::closed;
    client_->leases().notice_time(lease_);
    return lease_->why;
}

std::stop_token grant::lost() const
{
    if (client_->inherited()) {
        std::stop_source stopped;
        stopped.request_stop();
        return stopped.get_token();
    }
    client_->leases().notice_time(lease_);
    auto source = loss();
    // The dispatcher requests it too, but may be late. This runs the user's callbacks.
    if (lease_->state == hold_state::lost && has_holds()) source.request_stop();
    return source.get_token();
}

// The readers that share a lease leave it one by one, so each has a source of its own.
std::stop_source grant::loss() const
{
    auto& leases = client_->leases();
    if (!is_reader()) return leases.loss_of(lease_, fence_);
    watched_ = true;
    auto source = leases.loss_of_reader(lease_, own_loss_);
    // It may have left before own_loss_ was set.
    if (!has_holds()) leases.reader_left(own_loss_);
    return source;
}

bool grant::is_reader() const noexcept
{
    return lease_->what->kind == core::object_kind::shared &&
           lease_->what->mode == core::entry_mode::reader;
}

std::chrono::nanoseconds grant::valid_for() const noexcept
{
    if (client_->inherited() || lease_->is_over()) return std::chrono::nanoseconds{0};
    return std::max(lease_->valid_until() - client_->platform().now(),
                    base::boot_clock::duration{0});
}

}  // namespace pawl::sync
