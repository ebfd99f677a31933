// Where a client's background work runs: one task at a time, at once or at a given time.
#pragma once

#include "base/clock.h"
#include "base/platform.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>

namespace pawl::base {

class scheduler {
public:
    using task = std::function<void()>;

    scheduler() = default;
    virtual ~scheduler() = default;
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    virtual void start() = 0;

    // Waits for the task that runs, unless it was stopped before. Not from a task. What did not run by
    // then never will; post() and set_alarm() do nothing from then on.
    virtual void stop() = 0;

    // From any thread.
    virtual void post(task work) = 0;

    // From any thread: `handler` runs at `when`, or soon after. There is one such alarm; ringing or
    // setting it again forgets the former time.
    virtual void set_alarm(boot_time when) = 0;
    virtual void on_alarm(task handler) = 0;  // before start()

    // From a task only: timers, for any number of times. Equal handles never recur.
    using timer = std::pair<boot_time, std::uint64_t>;
    virtual timer call_at(boot_time when, task work) = 0;
    virtual void cancel(const timer& handle) = 0;

    // From any thread that waits for what a task will do: waits as platform::sleep() does, and may run
    // tasks meanwhile, in place of the scheduler's own thread. The caller must hold no mutex that a
    // task may want.
    [[nodiscard]] virtual bool help(platform& here, boot_time until, const std::stop_token& woken)
    {
        return here.sleep(until, woken);
    }

    // From any thread: from now on, until the contrary was said as often, no task runs in the thread of
    // one who helps. For tasks that call the user's code: that is nothing for another user's thread. It
    // holds for what is posted afterwards, and for all that comes of it.
    virtual void own_thread_only(bool /*now*/) {}
};

// One that goes by a clock which a test may move: the test has to tell it, and to wait for it.
class clocked_scheduler : public scheduler {
public:
    // From any thread: the clock was moved, so the times to come are nearer or further.
    virtual void clock_moved() = 0;

    // From any thread: when it next has something to do. boot_time::min() if it is doing something
    // now or has work posted; boot_time::max() if nothing is planned, or it was stopped.
    // Descriptors are left out.
    [[nodiscard]] virtual boot_time next_due() = 0;
};

}  // namespace pawl::base
