#include "core/condition_wait.h"

#include "base/mutant.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace pawl::core {

using base::boot_time;
using kind = step::kind;

condition_machine::condition_machine(const condition_plan& plan, const base::random_unit& random)
    : plan_{plan}, random_{&random}
{
    plan_.waiter.limit = time_limit::never();
    plan_.waiter.asked_before = true;
}

step condition_machine::start(boot_time now)
{
    limit_ = plan_.limit.is_never() ? boot_time::max() : now + plan_.limit.wait();
    if (base::is(base::mutant::condition_in_two_steps)) {
        return ask(stage::joining, plan_.release, now);
    }
    return join(now);
}

step condition_machine::join(boot_time now)
{
    const auto& waiter = plan_.waiter;
    return ask(stage::joining,
               wait_request{.release = plan_.release,
                            .waiter = waiter.mine,
                            .place = {waiter.client, waiter.lease, waiter.reserve},
                            .stay = place_lifetime(waiter.lease)},
               now);
}

step condition_machine::ask(stage next, const exchange_request& what, boot_time now)
{
    stage_ = next;
    exchange_.emplace(what, plan_.waiter.command_limit, *random_);
    return exchange_->start(now);
}

step condition_machine::on_reply(const reply& got, boot_time now)
{
    if (acquire_) return acquired(acquire_->on_reply(got, now));
    return checked(exchange_->on_reply(got, now), now);
}

step condition_machine::on_time(boot_time now)
{
    if (acquire_) return acquired(acquire_->on_time(now));
    if (stage_ != stage::waiting) return checked(exchange_->on_time(now), now);
    // A bell may have rung: this client hears again, and its place may have been given away meanwhile.
    return look(stopped_ || now >= limit_, now);
}

step condition_machine::on_cancel(boot_time now, std::string_view why)
{
    if (acquire_) return acquired(acquire_->on_cancel(now, why));
    return failed({.what = failure_kind::cancelled, .detail = std::string{why}}, now);
}

step condition_machine::on_granted(const grant_notice& got, boot_time now)
{
    if (acquire_) return acquired(acquire_->on_granted(got, now));
    result_.gave_back = true;
    begin_to_acquire();
    return acquired(acquire_->start_with(got, now));
}

void condition_machine::hears(bool now) noexcept
{
    hears_ = now;
    if (acquire_) acquire_->hears(now);
}

step condition_machine::checked(const step& next, boot_time now)
{
    if (next.what != kind::finish) return next;
    const auto& got = std::get<hold_reply>(exchange_->result());
    if (const auto* const problem = std::get_if<failure>(&got)) return failed(*problem, now);
    const auto status = std::get<hold_status>(got);
    if (status == hold_status::not_a_lock) {
        return failed({.what = failure_kind::not_a_lock,
                       .detail = "a key of the lock or of the condition has another type"},
                      now);
    }
    return answered(status, now);
}

step condition_machine::answered(hold_status got, boot_time now)
{
    const bool is_there = got == hold_status::done;
    if (stage_ == stage::joining) {
        if (std::holds_alternative<release_request>(exchange_->asked())) return join(now);
        result_.gave_back = true;
        if (is_there) return wait(now);
        // An earlier try may have joined. If this client could not hear then, a notification has removed the waiter
        // from the condition. So it may have been notified, and must not fail.
        if (exchange_->is_uncertain() && !base::is(base::mutant::condition_repeat_is_lost)) {
            return acquire(now);
        }
        result_.failure = errc::lost;
        result_.why = cause_of(got);
        return {.what = kind::finish};
    }
    const bool stays = is_there || base::is(base::mutant::condition_waits_on);
    if (stage_ == stage::looking && stays) return wait(now);
    result_.notified = stage_ == stage::looking || !is_there;
    return acquire(now);
}

step condition_machine::wait(boot_time now)
{
    stage_ = stage::waiting;
    if (stopped_ || now >= limit_) return look(true, now);
    auto until = std::min(now + next_look(), limit_);
    const bool listens = plan_.waiter.joins && hears_;
    if (listens && base::is(base::mutant::d19_no_timer)) until = limit_;
    return {.what = kind::wait, .until = until};
}

step condition_machine::look(bool leaves, boot_time now)
{
    if (leaves && base::is(base::mutant::condition_stays)) return acquire(now);
    const auto& waiter = plan_.waiter;
    return ask(leaves ? stage::leaving : stage::looking,
               look_request{.waiter = waiter.mine,
                            .place = {waiter.client, waiter.lease, waiter.reserve},
                            .stay = place_lifetime(waiter.lease),
                            .leaves = leaves},
               now);
}

// If this client cannot hear of a grant, a notification only removes its waiter from the condition. So it looks
// often: as acquire_machine asks when it has no place in the queue.
std::chrono::nanoseconds condition_machine::next_look()
{
    const auto& waiter = plan_.waiter;
    const auto usual = look_interval(waiter.lease);
    if (waiter.joins && hears_) {
        pauses_.reset();
        return usual;
    }
    return pauses_.next(std::min(waiter.poll_interval, usual), waiter.joins, *random_);
}

void condition_machine::begin_to_acquire()
{
    stage_ = stage::acquiring;
    acquire_.emplace(plan_.waiter, *random_);
    acquire_->hears(hears_);
}

step condition_machine::acquire(boot_time now)
{
    begin_to_acquire();
    return acquired(acquire_->start(now));
}

step condition_machine::acquired(const step& next)
{
    if (next.what != kind::finish) return next;
    const auto& got = acquire_->result();
    result_.failure = got.failure;
    result_.detail = got.detail;
    result_.fence = got.fence;
    result_.sent = got.sent;
    result_.unheard = got.unheard;
    result_.uncertain = got.failure.has_value();
    result_.wanted_until = got.wanted_until;
    return next;
}

step condition_machine::failed(const failure& why, boot_time now)
{
    result_.failure = errc_of(why.what);
    result_.detail = why.detail;
    result_.uncertain = exchange_.has_value();  // otherwise nothing was sent
    // Until the old holder has left, a late request can still put the waiter into the condition.
    const bool may_come = stage_ == stage::joining && exchange_ &&
                          (!is_answer(why.what) || exchange_->is_uncertain());
    result_.wanted_until = may_come ? now + latest_execution : now;
    return {.what = kind::finish};
}

}  // namespace pawl::core
