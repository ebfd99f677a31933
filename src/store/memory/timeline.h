// The time of a memory server and its clients: the machine's own, and whatever a test adds to it.
//
// advance() makes time pass as if it had passed by itself. It goes from one moment at which
// something is due to the next, and at each waits until it has been done: a lease is renewed and
// not lost, a caller who waits for a lock asks again, a deadline passes. For that it knows everyone
// for whom time passes: the clients' loops, the threads that run the user's handlers, and the
// callers.
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

    // The wall clock, since the epoch. A step of the machine's own does not show.
    [[nodiscard]] std::chrono::microseconds wall() const noexcept;

    // Time passes for the loop, too. It must leave before it is destroyed.
    void join(base::clocked_scheduler& loop);
    void leave(base::clocked_scheduler& loop);

    // A call begins or ends in this thread. While time is being advanced no call begins, but for
    // those of handlers, which are waited for.
    void call_begins();
    void call_ends() noexcept;

    // The calling thread, in a call, waits until `over` says so, the time has come, or `stop`,
    // which may be null, was requested; false for the latter. Whatever changes the answer of
    // `over`, which may be asked by any thread, calls wake().
    [[nodiscard]] bool wait(base::boot_time until, const base::interrupt* stop,
                            const std::function<bool()>& over);
    void wake();

    // The handlers of one thread are waited for. They must leave, too.
    void join(const handlers& who);
    void leave(const handlers& who);

    // On return all that became due has been done, and the handlers have been told, unless one of
    // them, or a callback of the user's, took longer than a second of real time, or calls this. One
    // at a time: another call waits.
    void advance(std::chrono::nanoseconds by);

private:
    struct caller {
        unsigned depth = 0;                              // calls within one another
        base::boot_time until = base::boot_time::min();  // min() unless it waits
        const std::function<bool()>* over = nullptr;     // while it waits
        const std::stop_token* stop = nullptr;           // while it waits
    };

    // One thread's turn to advance it.
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
