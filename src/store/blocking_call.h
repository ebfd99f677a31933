// A call of a thread that waits, which the event loop executes.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace pawl::store {

template <class Result>
class blocking_call {
public:
    using answer = std::function<void(Result)>;

    // `begin` runs on the loop, perhaps after this function has returned. It gets a handler for the result, which it
    // calls on the loop, at once or later. Returns nothing if that did not happen by `until`, or if `stop` was
    // requested first. `stop` may be null.
    //
    // The calling thread lends itself to the loop meanwhile, so that mostly no other thread has to wake up.
    template <class Begin>
    [[nodiscard]] static std::optional<Result> run(base::platform& here, base::scheduler& loop,
                                                   Begin begin, base::boot_time until,
                                                   const base::interrupt* stop)
    {
        const auto call = std::make_shared<blocking_call>();
        loop.run_or_post([call, begin = std::move(begin)] {
            begin([call](Result got) { call->finish(std::move(got)); });
        });
        return call->wait(here, loop, until, stop);
    }

private:
    void finish(Result got)
    {
        {
            const common::scoped_lock guard{mutex_};
            got_ = std::move(got);
        }
        finished_.request_stop();
    }

    [[nodiscard]] std::optional<Result> wait(base::platform& here, base::scheduler& loop,
                                             base::boot_time until, const base::interrupt* stop)
    {
        const auto cancelled = stop != nullptr ? stop->token() : std::stop_token{};
        const std::stop_callback watch{cancelled, [this] { finished_.request_stop(); }};
        static_cast<void>(loop.help(here, until, finished_.get_token()));
        const common::scoped_lock guard{mutex_};
        return std::exchange(got_, std::nullopt);
    }

    std::stop_source finished_;
    common::mutex mutex_;
    std::optional<Result> got_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::store
