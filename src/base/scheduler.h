// Runs a client's background work: one task at a time, at once or at a given time.
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

    // Waits for the running task. Does nothing if it was stopped before. Must not be called from a
    // task. Tasks that did not run by then never run, and post() and set_alarm() have no effect
    // from then on.
    virtual void stop() = 0;

    // From any thread.
    virtual void post(task work) = 0;

    // From any thread: `handler` runs at `when`, or soon after. There is one such alarm. When it
    // rings or is set again, the former time is forgotten.
    virtual void set_alarm(boot_time when) = 0;
    virtual void on_alarm(task handler) = 0;  // before start()

    // From a task only: any number of timers. A handle is never used twice.
    using timer = std::pair<boot_time, std::uint64_t>;
    virtual timer call_at(boot_time when, task work) = 0;
    virtual void cancel(const timer& handle) = 0;

    // From any thread that waits for the result of a task. Waits like platform::sleep(), and may
    // run tasks meanwhile, in place of the scheduler's own thread. The caller must not hold a mutex
    // that a task may need.
    [[nodiscard]] virtual bool help(platform& here, boot_time until, const std::stop_token& woken)
    {
        return here.sleep(until, woken);
    }

    // From any thread: like post(), and it does not wait for another thread either. If no thread runs tasks at the
    // moment, the calling thread may run this one at once, after those that were posted before it. So no other thread has
    // to wake up for it. No task that may run then may need a mutex that the caller holds. Tasks with the code of users
    // do not run then: see own_thread_only().
    virtual void run_or_post(task work) { post(std::move(work)); }

    // From any thread: from now on no task runs in the thread of a helper, until
    // own_thread_only(false) was called as often. For tasks that call the user's code: it must not
    // run in another user's thread. This applies to tasks that are posted afterwards, and to
    // everything that they cause.
    virtual void own_thread_only(bool /*now*/) {}
};

// A scheduler with a clock that a test can move. The test must tell it of the move, and can wait
// for it.
class clocked_scheduler : public scheduler {
public:
    // From any thread: the clock was moved, so times to come are nearer or further.
    virtual void clock_moved() = 0;

    // From any thread: when it next has something to do. boot_time::min() if it runs a task or has
    // posted work. boot_time::max() if nothing is planned, or it was stopped. Descriptors do not
    // count.
    [[nodiscard]] virtual boot_time next_due() = 0;
};

}  // namespace pawl::base
