// pawl::lockable is the common interface of the locks that a thread can lock() and unlock() like a
// std::timed_mutex: pawl::mutex, pawl::recursive_mutex, pawl::fair_mutex, pawl::shared_mutex and
// pawl::lock_set. They can also be acquired with a handle. <pawl/acquirable.h> documents that, how
// a caller waits, and lifetimes.
//
//                             waits for
//   call                      other holders     busy        limit passed   trouble
//   lock                      for ever          waits       –              throws
//   try_lock                  no                false       –              throws
//   try_lock_for, _until      to the limit      waits       false          throws
//   unlock                    no                –           –              no throw
//
// Trouble is as in <pawl/acquirable.h>; with lock() also `would_deadlock`. The try_lock forms
// return false in that case.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <memory>
#include <system_error>

namespace pawl {

class PAWL_EXPORT lockable : public acquirable {
public:
    // ── The interface of std::timed_mutex ───────────────────────────────────────────────────────
    // lock() acquires for the calling thread. Only that thread can unlock().

    // Waits until the lock is granted to the calling thread.
    // Round trips: as acquire().
    // On failure: throws pawl::error. Throws `would_deadlock` if the calling thread has locked this
    //     object already with lock() or a try_lock form, and that lock is not lost. A
    //     recursive_mutex is entered again instead.
    // Threads: any thread may call it.
    // Cancellation: none; use acquire().
    void lock();

    // These return whether the lock was granted to the calling thread. try_lock() does not wait for
    // others; the other two wait until their limit.
    // Round trips: as try_acquire() and try_acquire_for().
    // On failure: throws pawl::error. Returns false if the lock is busy, if the limit has passed,
    //     and where lock() would throw `would_deadlock`.
    // Threads: any thread may call them.
    // Cancellation: none; use try_acquire_for().
    [[nodiscard]] bool try_lock();

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> wait)
    {
        return try_lock_within(time_limit::after(wait));
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> when)
    {
        return try_lock_within(time_limit::at(when));
    }

    // Releases what the calling thread locked last. With lock_options::linger, the client may keep
    // the lock for a while, and gives it to another client that asks for it.
    // Round trips: the first form as the destructor of a hold, the second as hold::release().
    // On failure: the first form writes to client_options::log; the second sets ec, as
    //     hold::release() does. The code is `not_owner` if this thread has nothing locked.
    // Threads: call it on the thread that called lock().
    // Cancellation: none.
    void unlock() noexcept;
    void unlock(std::error_code& ec) noexcept;

    // Returns the hold that the calling thread locked last and has not unlocked, for example to
    // read its fence() and lost(). Returns nullptr if there is none. The pointer is valid until
    // unlock().
    // Round trips: none.
    // Threads: any thread may call it; each sees its own hold.
    [[nodiscard]] hold* current() const noexcept;

protected:
    explicit lockable(std::unique_ptr<state> made) noexcept;
    ~lockable();

private:
    bool try_lock_within(time_limit limit);
};

}  // namespace pawl
