// A thread that runs jobs once per period: it succeeds, fails, and is late.
#include "sim/participant.h"

#include "support/async_calls.h"

#include <pawl/async.h>
#include <pawl/error.h>

#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::sim {
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

void participant::once_cycle(dice& dice)
{
    std::stop_source change_of_mind;
    auto token = stage_->drain.get_token();
    if (stage_->what.has(fault::cancels) && dice.chance(0.3)) {
        ++stage_->fired[static_cast<std::size_t>(fault::cancels)];
        process_->after(dice.spread(stage_->what.delay, stage_->what.lease),
                        [change_of_mind]() mutable { change_of_mind.request_stop(); });
        token = change_of_mind.get_token();
    }
    static_cast<void>(try_once(dice, dice.below(locks_.size()), token));
}

// After the faults, every thread gets an answer for every job.
void participant::last_once(dice& dice)
{
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        while (!process_->is_dead() && !try_once(dice, lock, {})) {
        }
    }
    ++satisfied_;
}

// Whether the server has answered.
bool participant::try_once(dice& dice, std::size_t lock, const std::stop_token& stop)
{
    auto& job = *locks_[lock]->once;
    const auto asked = stage_->world.now();
    const auto id_before = process_->last_id();
    const auto began = process_->now();
    std::error_code ec;
    const bool asynchronous = dice.chance(0.4);
    auto turn = asynchronous ? begin_async(*process_, job, stop, ec) : job.try_begin(stop, ec);
    if (!turn) {
        stage_->checker.acquire_failed(
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

void participant::run_once(dice& dice, std::size_t lock, nanoseconds asked, once_per::turn turn)
{
    const auto& options = locks_[lock]->options;
    auto& held = turn.held();
    auto& mine = stage_->checker.granted(*process_, held,
                                         {.lock = lock,
                                          .how = {},
                                          .renewed = options.renew,
                                          .lease = options.lease,
                                          .asked = asked});
    work(dice, mine, held);
    if (dice.chance(0.3)) {
        give_back(dice, mine, held);
        stage_->checker.ended(mine);
        return;
    }
    const auto valid_until = process_->now() + held.valid_for();
    stage_->checker.releasing(mine);
    std::error_code ec;
    if (dice.chance(0.3)) {
        done_async(*process_, std::move(turn), ec);
    } else {
        turn.done(ec);
    }
    stage_->checker.released(mine, ec, valid_until);
    stage_->checker.ended(mine);
}

}  // namespace pawl::sim
