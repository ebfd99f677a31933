#include "sim/once_user.h"

#include "support/async_calls.h"

#include <pawl/async.h>
#include <pawl/error.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;

namespace {

// A completion keeps this alive if the process crashes and the thread has ended.
struct ending {
    signal told;
    once_per::turn got;
    std::error_code ec = errc::cancelled;
};

class begun final : public async::begin_completion {
public:
    explicit begun(std::shared_ptr<ending> mine) : mine_{std::move(mine)} {}

    void done(once_per::turn got, std::error_code ec, std::string_view) noexcept override
    {
        mine_->got = std::move(got);
        mine_->ec = ec;
        mine_->told.set();
    }

private:
    std::shared_ptr<ending> mine_;
};

std::optional<once_per::turn> begin_async(process& who, once_per& job, const std::stop_token& stop,
                                          std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::try_begin(job, std::make_unique<begun>(mine), stop);
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
    if (ec) return std::nullopt;
    return std::move(mine->got);
}

void done_async(process& who, once_per::turn what, std::error_code& ec)
{
    const auto mine = std::make_shared<ending>();
    async::done(std::move(what), test::when_done([mine](std::error_code why, std::string_view) {
                    mine->ec = why;
                    mine->told.set();
                }));
    who.wait(mine->told, base::boot_time::max());
    ec = mine->ec;
}

}  // namespace

// A period is shorter than a run, or long enough for many attempts.
void draw_once(plan& drawn, dice dice)
{
    drawn.locks.clear();
    const auto cycle = drawn.think + drawn.work;
    const auto count = dice.one_of({1, 1, 2});
    for (int i = 0; i < count; ++i) {
        const auto period = in_ms(dice.spread(cycle / 4, 8 * cycle));
        drawn.locks.push_back({.name = "lock:" + std::to_string(i),
                               .what = lock_plan::kind::once,
                               .period = std::max<std::chrono::milliseconds>(10ms, period),
                               .aligned = dice.chance(0.5),
                               .retries = dice.chance(0.5)});
    }
}

once_user::once_user(stage& stage, checker& watching, unsigned number, drifting_clock clock,
                     dice dice)
    : lock_user{stage, watching, number, clock, dice}
{
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const auto& what = stage.what.locks[i];
        const once_options options{.aligned = what.aligned, .retry_failed = what.retries};
        jobs_.push_back(std::make_unique<once_per>(*client_, what.name, what.period, options,
                                                   locks_[i]->options));
    }
}

void once_user::drop_objects()
{
    jobs_.clear();
    lock_user::drop_objects();
}

void once_user::one_cycle(dice& dice)
{
    sleep(dice.every(stage_->what.think));
    if (stage_->draining || process_->is_dead()) return;
    static_cast<void>(try_once(dice, dice.below(jobs_.size()), stop_token_for(dice)));
}

// After the faults, every thread gets an answer for every job.
void once_user::last_cycle(dice& dice)
{
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        while (!process_->is_dead() && !try_once(dice, job, {})) {
        }
    }
}

// Whether the server has answered.
bool once_user::try_once(dice& dice, std::size_t lock, const std::stop_token& stop)
{
    auto& job = *jobs_[lock];
    const auto asked = stage_->world.now();
    const auto id_before = process_->last_id();
    const auto began = process_->now();
    std::error_code ec;
    const bool asynchronous = dice.chance(0.4);
    auto turn = asynchronous ? begin_async(*process_, job, stop, ec) : job.try_begin(stop, ec);
    seen_.ended(ec);
    if (!turn) {
        checker_->acquire_failed(
            *process_, lock, ec,
            {.since = began, .waits = false, .fresh = process_->last_id() != id_before});
        return ec == errc::busy || ec == errc::not_due;
    }
    // It was granted in time, but this thread ran too late to use it.
    const bool late = turn->held().valid_for() <= nanoseconds{0};
    if (late && asynchronous && stage_->what.has(fault::slow_threads)) return true;
    run_once(dice, lock, asked, std::move(*turn));
    return true;
}

void once_user::run_once(dice& dice, std::size_t lock, nanoseconds asked, once_per::turn turn)
{
    auto& held = turn.held();
    auto& mine = checker_->granted(*process_, held, entry_of({lock, {}, asked}));
    work(dice, mine, held);
    if (dice.chance(0.3)) {
        give_back(dice, mine, held);
        checker_->ended(mine);
        return;
    }
    const auto valid_until = process_->now() + held.valid_for();
    checker_->releasing(mine);
    std::error_code ec;
    if (dice.chance(0.3)) {
        done_async(*process_, std::move(turn), ec);
    } else {
        turn.done(ec);
    }
    checker_->released(mine, ec, valid_until);
    checker_->ended(mine);
}

}  // namespace pawl::sim
