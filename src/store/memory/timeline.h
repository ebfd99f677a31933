// The time of a memory server and its clients: the machine's time plus the time that a test adds.
//
// advance() lets time pass. It goes from one time at which something is due to the next, and waits
// there until that has been done: a lease is renewed and not lost, a waiter asks again, a deadline
// passes. So it knows all participants: the clients' loops, the threads that run the user's
// handlers, and the callers.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/scheduler.h"
#include "common/mutex.h"
#include "store/memory/handlers.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <vector>

namespace pawl::store::memory {

class timeline {
public:
    timeline() = default;
    ~timeline() = default;
    timeline(const timeline&) = delete;
    timeline& operator=(const timeline&) = delete;

    [[nodiscard]] base::boot_time now() const noexcept;

    // The wall clock, since the epoch. It ignores steps of the machine's clock.
    [[nodiscard]] std::chrono::microseconds wall() const noexcept;

    // The loop takes part. It must leave before it is destroyed.
    void join(base::clocked_scheduler& loop);
    void leave(base::clocked_scheduler& loop);

    // A call begins or ends in this thread. While time is being advanced, a new call waits. Calls
    // of handlers do not wait, because advance() waits for the handlers.
    void call_begins();
    void call_ends() noexcept;

    // To be called in a call: waits until `over` returns true, the time has come, or a stop was
    // requested. Returns false for a stop. `stop` may be null. `over` may be called by any thread.
    // When its result changes, wake() must be called.
    [[nodiscard]] bool wait(base::boot_time until, const base::interrupt* stop,
                            const std::function<bool()>& over);
    void wake();

    // The handlers of one thread take part. They must leave too.
    void join(const handlers& who);
    void leave(const handlers& who);

    // On return all work that became due has been done, and the handlers have run. Exceptions: a
    // handler or a callback of the user took longer than a second of real time, or called this
    // function. Only one call runs at a time. Another call waits.
    void advance(std::chrono::nanoseconds by);

private:
    struct caller {
        unsigned depth = 0;                              // nested calls
        base::boot_time until = base::boot_time::min();  // min() unless it waits
        const std::function<bool()>* over = nullptr;     // while it waits
        const std::stop_token* stop = nullptr;           // while it waits
    };

    // Makes one thread at a time advance the time.
    class turn {
    public:
        explicit turn(timeline& where);
        ~turn();
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

    private:
        timeline* where_;
    };

    void move(std::chrono::nanoseconds by);
    [[nodiscard]] bool settle(std::chrono::milliseconds patience);
    [[nodiscard]] bool is_quiet();
    [[nodiscard]] base::boot_time next_due();
    [[nodiscard]] base::boot_time next_due_after(base::boot_time present);
    template <class Visit>
    void for_each_due(Visit visit) PAWL_REQUIRES(mutex_);

    base::boot_time start_ = base::boot_clock::now();
    std::chrono::nanoseconds wall_at_start_ = std::chrono::system_clock::now().time_since_epoch();
    std::atomic<std::chrono::nanoseconds> added_{};

    common::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<base::clocked_scheduler*> loops_ PAWL_GUARDED_BY(mutex_);
    std::vector<const handlers*> handlers_ PAWL_GUARDED_BY(mutex_);
    std::map<std::uint64_t, caller> callers_ PAWL_GUARDED_BY(mutex_);  // by thread_mark()
    bool advancing_ PAWL_GUARDED_BY(mutex_) = false;
};

}  // namespace pawl::store::memory
