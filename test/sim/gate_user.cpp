#include "sim/gate_user.h"

#include "sim/async_calls.h"

#include <pawl/error.h>
#include <pawl/time_limit.h>

#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;

gate_user::gate_user(stage& stage, gates_checker& watching, unsigned number, drifting_clock clock,
                     dice dice)
    : participant{stage, number, clock, dice}, checker_{&watching}
{
}

gate_user::gate_ptr gate_user::open(std::size_t lock, const std::string& name, unsigned expected)
{
    auto& found = gates_[name];
    if (found) return found;
    found = std::make_shared<gate_here>();
    found->name = name;
    if (stage_->what.locks[lock].what == lock_plan::kind::latch) {
        found->as_latch.emplace(*client_, name, expected);
    } else {
        found->as_barrier.emplace(*client_, name, expected);
    }
    return found;
}

void gate_user::one_cycle(dice& dice)
{
    sleep(dice.every(stage_->what.think));
    if (stage_->draining || process_->is_dead()) return;
    const auto lock = dice.below(stage_->what.locks.size());
    const auto gate = open(lock, checker_->choose(lock, dice), stage_->what.locks[lock].expected);
    if (gate->as_latch) {
        use_latch(dice, *gate);
    } else {
        use_barrier(dice, *gate);
    }
}

void gate_user::use_latch(dice& dice, gate_here& gate)
{
    const bool arrives = dice.chance(0.6);
    std::error_code ec;
    if (arrives) count_down(dice, gate, dice.chance(0.2) ? 2 : 1, ec);
    if (arrives && (ec || dice.chance(0.5))) return;
    wait_somehow(dice, gate.name, *gate.as_latch, nullptr);
}

void gate_user::use_barrier(dice& dice, gate_here& gate)
{
    if (dice.chance(0.1)) {
        drop_out(gate);
        return;
    }
    std::error_code ec;
    auto mine = arrive(dice, gate, dice.chance(0.2) ? 2 : 1, ec);
    if (ec || dice.chance(0.1)) return;
    if (dice.chance(0.5)) sleep(dice.every(stage_->what.work));
    for (auto times = dice.between(1, 3); times > 0 && !process_->is_dead(); --times) {
        wait_somehow(dice, gate.name, mine.arrival, mine.known_as);
    }
}

gates_checker::arrival_ptr gate_user::count_down(dice& dice, gate_here& gate, unsigned count,
                                                 std::error_code& ec)
{
    auto mine = checker_->arrives(*process_, gate.name, count);
    if (dice.chance(0.3)) {
        count_down_async(*process_, *gate.as_latch, count, ec);
    } else {
        gate.as_latch->count_down(count, ec);
    }
    checker_->arrived_at(mine, ec);
    return mine;
}

gate_user::arrived_here gate_user::arrive(dice& dice, gate_here& gate, unsigned count,
                                          std::error_code& ec)
{
    arrived_here mine;
    mine.known_as = checker_->arrives(*process_, gate.name, count);
    if (dice.chance(0.3)) {
        mine.arrival = arrive_async(*process_, *gate.as_barrier, count, ec);
    } else {
        mine.arrival = gate.as_barrier->arrive(count, ec);
    }
    checker_->arrived_at(mine.known_as, ec);
    return mine;
}

void gate_user::drop_out(gate_here& gate)
{
    const auto mine = checker_->arrives(*process_, gate.name, 1);
    std::error_code ec;
    gate.as_barrier->arrive_and_drop(ec);
    checker_->arrived_at(mine, ec);
}

void gate_user::wait_somehow(dice& dice, const std::string& name, const waitable& what,
                             const gates_checker::arrival_ptr& mine)
{
    // When the faults end, nobody goes on waiting: the others may never arrive.
    std::stop_source enough;
    const auto stop = [&enough] { enough.request_stop(); };
    const std::stop_callback cancelled{stop_token_for(dice), stop};
    const std::stop_callback drained{stage_->drain.get_token(), stop};
    const auto token = enough.get_token();
    const auto limit = time_limit::after(dice.spread(stage_->what.delay, 5 * stage_->what.lease));
    std::error_code ec;
    const auto waiting = checker_->waits(*process_, name, mine);
    switch (dice.below(5)) {
    case 0:
        if (!what.try_wait(ec) && !ec) ec = errc::busy;
        break;
    case 1: wait_async(*process_, what, limit, token, ec); break;
    case 2: wait_async(*process_, what, time_limit::now(), token, ec); break;
    case 3:
        process_->after(limit.wait(), [enough]() mutable { enough.request_stop(); });
        what.wait(token, ec);
        break;
    default:
        if (!what.wait_for(limit.wait(), token, ec) && !ec) ec = errc::timed_out;
        break;
    }
    checker_->waited(waiting, ec);
}

// ── After the faults ────────────────────────────────────────────────────────────────────────────

// All threads arrive at a gate for all of them, so that it opens.
void gate_user::last_cycle(dice& dice)
{
    for (std::size_t lock = 0; lock < stage_->what.locks.size() && goes_on(); ++lock) {
        const auto gate = open(lock, checker_->last_of(lock), checker_->number_of_threads());
        if (gate->as_latch) {
            last_latch(dice, *gate);
        } else {
            for (int phase = 0; phase < 3; ++phase) last_phase(dice, *gate);
        }
    }
}

bool gate_user::goes_on() const
{
    return !process_->is_dead() && !checker_->time_is_over().stop_requested();
}

void gate_user::last_latch(dice& dice, gate_here& gate)
{
    bool counted = false;
    while (!counted && goes_on()) {
        std::error_code ec;
        const auto mine = count_down(dice, gate, 1, ec);
        // After `unreachable` a program would not know it. If a late arrival is counted too, the last one is refused.
        counted = !ec || ec == errc::refused || checker_->was_counted(*mine);
    }
    wait_for_sure(gate.name, *gate.as_latch, nullptr);
}

void gate_user::last_phase(dice& dice, gate_here& gate)
{
    while (goes_on()) {
        std::error_code ec;
        const auto mine = arrive(dice, gate, 1, ec);
        if (!ec) {
            wait_for_sure(gate.name, mine.arrival, mine.known_as);
            return;
        }
        if (!checker_->was_counted(*mine.known_as)) {
            // It may yet be counted, and then this thread arrives twice.
            if (ec == errc::unreachable) checker_->phases_may_shift();
            continue;
        }
        // There is nothing to wait for, but the next phase must not begin without this thread.
        while (!checker_->is_over(*mine.known_as) && goes_on()) {
            signal never;
            process_->wait(never, process_->now() + 10ms);
        }
        return;
    }
}

void gate_user::wait_for_sure(const std::string& name, const waitable& what,
                              const gates_checker::arrival_ptr& mine)
{
    std::error_code ec = errc::busy;
    while (ec && goes_on()) {
        const auto waiting = checker_->waits(*process_, name, mine);
        what.wait(checker_->time_is_over(), ec);
        checker_->waited(waiting, ec);
    }
}

}  // namespace pawl::sim
