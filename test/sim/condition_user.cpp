#include "sim/condition_user.h"

#include "sim/hold_limits.h"
#include "support/async_calls.h"

#include <pawl/async.h>
#include <pawl/error.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

void draw_conditions(plan& drawn, dice dice)
{
    using kind = lock_plan::kind;
    drawn.locks.clear();
    const auto count = dice.one_of({1, 1, 2});
    for (int i = 0; i < count; ++i) {
        lock_plan made{.name = "lock:" + std::to_string(i),
                       .what = dice.one_of({kind::mutex, kind::mutex, kind::mutex, kind::fair,
                                            kind::fair, kind::polling}),
                       .how_stored = dice.chance(0.2) ? layout::hash : layout::plain};
        if (made.what == kind::mutex && dice.chance(0.3)) {
            made.linger = in_ms(dice.spread(1ms, std::min<nanoseconds>(drawn.lease, 1min)));
        }
        drawn.locks.push_back(std::move(made));
    }
}

// A thread that holds a lock, or has held it.
struct condition_user::turn {
    turn(condition_user& whose, std::size_t which)
        : user{whose}, lock{which}, forgets{whose.checker_->shelf_of(which).forgets}
    {
    }
    ~turn()
    {
        if (visit) user.checker_->leaves(*visit);
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

    // The hold has the lock.
    void enter()
    {
        visit =
            user.checker_->enters(*user.process_, lock, held, forgets, user.locks_[lock]->options);
    }
    void leave()
    {
        if (visit) user.checker_->leaves(*visit);
        visit.reset();
    }

    condition_user& user;
    std::size_t lock;
    std::uint64_t forgets;  // of the server, when the call began
    hold held{};
    std::optional<condition_checker::visit_ptr> visit{};
};

condition_user::condition_user(stage& stage, condition_checker& watching, unsigned number,
                               drifting_clock clock, dice dice)
    : participant{stage, number, clock, dice}, checker_{&watching}
{
    checker_->joins(*process_);
    for (const auto& each : stage.what.locks) make_lock(each);
}

void condition_user::make_lock(const lock_plan& what)
{
    auto made = std::make_unique<lock_here>();
    const auto& plan = stage_->what;
    auto& options = made->options;
    options.lease = std::max<milliseconds>(
        10ms, in_ms(plan.lease * dice_.one_of({50, 100, 100, 100, 200}) / 100));
    options.renew = plan.is_calm() || what.linger > 0ms || dice_.chance(0.7);
    if (what.what == lock_plan::kind::polling) options.wait = poll{plan.poll_interval};
    options.linger = what.linger;
    options.layout = what.how_stored;
    options.announce = dice_.chance(0.5);
    limit_holding(options, what, dice_.stream(50));
    checker_->lease_asked(options.lease);
    if (what.what == lock_plan::kind::fair) {
        made->more.emplace(made->fair.emplace(*client_, what.name, options), "more");
    } else {
        made->more.emplace(made->plain.emplace(*client_, what.name, options), "more");
    }
    locks_.push_back(std::move(made));
}

void condition_user::work(dice& dice, turn& mine)
{
    sleep(dice.every(stage_->what.work / 4));
    if (process_->is_dead() || locks_[mine.lock]->options.heartbeat == 0ms) return;
    if (dice.chance(0.7) && mine.held.beat()) checker_->beaten(mine.held, *process_);
}

void condition_user::one_cycle(dice& dice)
{
    sleep(dice.every(stage_->what.think));
    if (stage_->draining || process_->is_dead()) return;
    turn mine{*this, dice.below(locks_.size())};
    std::error_code ec;
    const auto limit = dice.spread(stage_->what.delay, 3 * stage_->what.lease);
    auto got = locks_[mine.lock]->lock().try_acquire_for(limit, stop_token_for(dice), ec);
    seen_.ended(ec);
    if (!got) {
        checker_->failed(*process_, mine.lock, "acquire", ec, {mine.forgets});
        return;
    }
    mine.held = std::move(*got);
    mine.enter();
    work(dice, mine);
    if (process_->is_dead()) return;
    if (dice.chance(0.5)) {
        put(dice, mine);
    } else {
        take(dice, mine);
    }
}

void condition_user::put(dice& dice, turn& mine)
{
    const auto lock = mine.lock;
    // A holder that has lost the lock must not change anything.
    if (mine.held.valid_for() <= 0ns) return;
    ++checker_->shelf_of(lock).items;
    const bool all = dice.chance(0.2);
    const bool before = dice.chance(0.5);
    if (before) notify(dice, lock, all);
    std::error_code ec;
    mine.leave();
    mine.held.release(ec);
    if (!before) notify(dice, lock, all);
}

// Until the server has answered: otherwise the shelf could be full, and all threads asleep.
void condition_user::notify(dice& dice, std::size_t lock, bool all)
{
    const auto forgets = checker_->shelf_of(lock).forgets;
    while (!process_->is_dead()) {
        auto& more = *locks_[lock]->more;
        std::error_code ec;
        if (all) {
            more.notify_all(ec);
        } else {
            more.notify_one(ec);
        }
        if (!ec) return;
        checker_->failed(*process_, lock, "notify", ec, {forgets});
        sleep(dice.every(stage_->what.delay * 10));
    }
}

void condition_user::take(dice& dice, turn& mine)
{
    auto& shelf = checker_->shelf_of(mine.lock);
    const bool for_ever = dice.chance(0.5);
    const auto limit =
        for_ever ? time_limit::never()
                 : time_limit::after(dice.spread(stage_->what.delay, 5 * stage_->what.lease));
    const auto stop = stop_token_for(dice);
    while (shelf.items == 0 && !stop.stop_requested()) {
        const bool notified = wait(dice, mine, limit, stop);
        if (!mine.held || process_->is_dead()) return;
        if (!notified) break;
    }
    work(dice, mine);
    if (process_->is_dead()) return;
    if (shelf.items > 0 && mine.held.valid_for() > 0ns) --shelf.items;
    // What is left is for another one: its notification may have come to this thread.
    const bool more = shelf.items > 0;
    std::error_code ec;
    mine.leave();
    mine.held.release(ec);
    if (more) notify(dice, mine.lock, false);
}

// Returns whether it was notified. Without a hold afterwards it has failed.
bool condition_user::wait(dice& dice, turn& mine, time_limit limit, const std::stop_token& stop)
{
    auto& more = *locks_[mine.lock]->more;
    const auto lock = mine.lock;
    mine.leave();
    mine.forgets = checker_->shelf_of(lock).forgets;
    checker_->note(lock, *process_, "waits for the condition");
    // In a calm run every item is followed by a notification, which finds the waiter.
    const bool must_wake = stage_->what.is_calm() || stage_->draining;
    const condition_checker::sleeper asleep{*checker_, lock, must_wake};
    struct ending {
        signal told;
        hold got;
        std::error_code ec = errc::cancelled;
    };
    // The completion keeps this alive if the process crashes.
    const auto end = std::make_shared<ending>();
    const auto then = [end](hold got, std::error_code why, std::string_view) {
        end->got = std::move(got);
        end->ec = why;
        end->told.set();
    };
    if (dice.chance(0.5)) {
        try {
            async::wait(more, std::move(mine.held), limit, test::when_acquired(then), stop);
            process_->wait(end->told, base::boot_time::max());
        } catch (const error& e) {
            end->ec = e.code();
        }
        mine.held = std::move(end->got);
    } else {
        end->ec.clear();
        const auto not_yet = [asked = false]() mutable { return std::exchange(asked, true); };
        if (limit.is_never()) {
            static_cast<void>(more.wait(mine.held, stop, not_yet, end->ec));
        } else if (!stop.stop_possible()) {
            static_cast<void>(more.wait_for(mine.held, limit.wait(), end->ec));
        } else {
            // The forms with a limit and a predicate read the clock of this machine, and not that of the process.
            std::stop_source enough;
            process_->after(limit.wait(), [enough]() mutable { enough.request_stop(); });
            const std::stop_callback ends{stop, [&enough] { enough.request_stop(); }};
            static_cast<void>(more.wait(mine.held, enough.get_token(), not_yet, end->ec));
        }
        if (!end->ec && stop.stop_requested()) end->ec = errc::cancelled;
    }
    if (process_->is_dead()) return false;
    if (!mine.held) {
        checker_->failed(*process_, lock, "wait", end->ec,
                         {mine.forgets, ends_by_itself(locks_[lock]->options)});
        return false;
    }
    ++seen_.woken;
    mine.enter();
    return !end->ec;
}

// After the faults, all threads meet at each shelf in turn. The last one opens it and notifies. Every thread that has
// seen that wakes the next one, or all: a dead waiter may have taken a notification with it, or a waiter that has
// returned is in the condition again because of old data, and gets the notification.
void condition_user::last_cycle(dice& dice)
{
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) pass_gate(dice, lock);
}

void condition_user::pass_gate(dice& dice, std::size_t lock)
{
    auto& shelf = checker_->shelf_of(lock);
    ++shelf.arrived;
    const auto& plan = stage_->what;
    const bool one_by_one = !plan.has(fault::crashes) && !plan.has(fault::old_restarts);
    while (!process_->is_dead()) {
        turn mine{*this, lock};
        std::error_code ec;
        mine.held = locks_[lock]->lock().acquire(ec);
        seen_.ended(ec);
        if (ec) {
            checker_->failed(*process_, lock, "acquire", ec, {mine.forgets});
            continue;
        }
        mine.enter();
        if (shelf.arrived >= checker_->living_threads()) shelf.open = true;
        while (!shelf.open && mine.held && !process_->is_dead()) {
            static_cast<void>(wait(dice, mine, time_limit::never(), {}));
        }
        if (!mine.held) continue;
        mine.leave();
        mine.held.release(ec);
        notify(dice, lock, !one_by_one);
        return;
    }
}

}  // namespace pawl::sim
