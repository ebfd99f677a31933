// pawl::condition_variable: a std::condition_variable that spans processes and machines. A caller
// that holds a pawl::mutex gives it back, waits until another one notifies, and has it again.
//
//   pawl::mutex jobs{client, "jobs"};
//   pawl::condition_variable more{jobs, "more"};
//
//   std::unique_lock lock{jobs};                          // one process
//   more.wait(lock, [&] { return !queue.empty(); });
//
//   { std::scoped_lock guard{jobs}; queue.push(job); }    // another one
//   more.notify_one();
//
//   state of a waiter   where it is               leaves it when
//   waiting             in the condition          it is notified; its limit passes; it is stopped
//   woken               in the lock's queue       the lock is handed over to it
//   returned            holds the lock            –
//
//   call                  waits for a         returns                     with the lock
//                         notification
//   wait                  for ever            when notified               yes
//   wait_for, wait_until  to the limit        when notified, or too late  yes
//   with a stop_token     until the stop      when notified, or stopped   yes
//   trouble               –                   throws, or sets ec          no, or unchanged
//
// To give the lock back and to begin to wait is one step at the server: no notification is lost
// between the two. A notification moves a waiter to the queue of the lock. The waiter holds the lock
// when the server's message about the grant arrives, and sends no second request. Waiters are woken
// in the order in which they began to wait. notify_all() moves all of them; they have the lock one
// after the other.
//
// A waiter may wake although it was not notified, as with std: after a notification whose request
// was repeated, after its client was not connected to the server for a while, after the wait of
// another one has failed (several waiters, for up to 60 s), or if the server has lost its data. So
// check what you wait for: the forms with a predicate do. A notification is for the callers that wait
// at that moment; if there is none, nothing is kept.
//
// The lock that a waiter has after the wait is a new grant, with a new fence. The time to get the
// lock again is not limited, also with a limit or a stop token, as with std.
//
// Trouble. A wait that fails does not hold the lock any more: the hold is empty, and a unique_lock
// does not own the mutex. There is one exception: the last three codes below change nothing. These
// codes are possible; <pawl/error.h> explains each:
//   - `lost`: the lock was lost before the wait began;
//   - `unreachable`: the server gave no answer for client_options::command_limit;
//   - `refused`, `not_a_lock`: as acquire();
//   - `not_owner`, `bad_argument`, `wrong_process`: nothing is held; it is a hold of another lock;
//     the process is a child after fork(). The wait has not begun: the hold or the unique_lock is
//     as before.
//
// If a waiter fails or gives up after it was notified, the notification goes to the next waiter. If
// the process of a waiter dies, notifications pass over it as soon as the server has noticed that its
// connection is gone, or when its place ends: after its lease, or after 1.5 s if that is longer. Only
// if it dies after it was notified, and before it has returned, that one notification is gone.
// docs/guarantees.md has three more cases: a client that is closed while it is cut off, two delayed
// requests, and a server with old data.
//
// The object belongs to a mutex or fair_mutex and has a name of its own. All objects with the same
// names are one condition, and are on one server. It may be destroyed while calls are in progress,
// and may outlive the mutex object. Needs Redis 6.0.6 or later. A quorum does not have conditions:
// docs/topologies/quorum.md, "Which locks work".
#pragma once

#include <pawl/detail/condition_lock.h>
#include <pawl/detail/forms.h>
#include <pawl/detail/with_code.h>
#include <pawl/export.h>
#include <pawl/fair_mutex.h>
#include <pawl/hold.h>
#include <pawl/lockable.h>
#include <pawl/mutex.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

namespace detail {

// The rest of a limit, which begins when this object is made.
class rest_of {
public:
    explicit rest_of(time_limit limit) : limit_{limit}
    {
        if (!limit.is_never()) end_ = std::chrono::steady_clock::now() + limit.wait();
    }

    [[nodiscard]] time_limit operator()() const
    {
        return limit_.is_never() ? limit_ : time_limit::at(end_);
    }

private:
    time_limit limit_;
    std::chrono::steady_clock::time_point end_{};
};

}  // namespace detail

class PAWL_EXPORT condition_variable {
public:
    // Checks the name (1 to 512 bytes, any except NUL). No round trip. Throws pawl::error
    // (bad_argument).
    condition_variable(mutex& lock, std::string_view name);
    condition_variable(fair_mutex& lock, std::string_view name);
    ~condition_variable();
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    // ── Notify ──────────────────────────────────────────────────────────────────────────────────

    // Wakes the caller that has waited longest, or all. The lock need not be held. If it is free, the
    // first woken one has it at once; otherwise it is handed over when the holder releases it.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec. After `unreachable` it is not known whether anyone
    //     was woken: notify again.
    // Threads: any thread may call them.
    // Cancellation: none. They end within client_options::command_limit.
    void notify_one();
    void notify_one(std::error_code& ec) noexcept;
    void notify_all();
    void notify_all(std::error_code& ec) noexcept;

    // ── Wait ────────────────────────────────────────────────────────────────────────────────────
    // `lock` is a std::unique_lock of the mutex, or a pawl::hold of it.

    // Gives the lock back, waits until it is notified, and has the lock again.
    // Round trips: one to begin, and one for each look: every third of the lease. None when it is
    //     notified.
    // On failure: throws pawl::error, or sets ec, as above.
    // Threads: any thread may call it. A unique_lock belongs to the thread that locked it.
    // Cancellation: none; see the forms with a stop_token.
    template <detail::condition_lock Lock>
    void wait(Lock& lock)
    {
        static_cast<void>(wait_within(lock, time_limit::never(), {}));
    }

    template <detail::condition_lock Lock>
    void wait(Lock& lock, std::error_code& ec) noexcept
    {
        static_cast<void>(wait_within(lock, time_limit::never(), {}, ec));
    }

    // Waits until `done()` is true. It is called with the lock held.
    // Round trips, on failure, threads, cancellation: as above, for each time that it waits.
    template <detail::condition_lock Lock, std::predicate Predicate>
    void wait(Lock& lock, Predicate done)
    {
        while (!done()) wait(lock);
    }

    template <detail::condition_lock Lock, std::predicate Predicate>
    void wait(Lock& lock, Predicate done, std::error_code& ec)
    {
        ec.clear();
        while (!ec && !done()) wait(lock, ec);
    }

    // These wait until the limit. They return std::cv_status::timeout if the limit has passed and no
    // notification came before; the lock is held in any case.
    // Round trips: as wait(); at the limit two more, or three if the lock is busy.
    // On failure, threads, cancellation: as wait().
    template <detail::condition_lock Lock, class Rep, class Period>
    std::cv_status wait_for(Lock& lock, std::chrono::duration<Rep, Period> limit)
    {
        return status_of(wait_within(lock, time_limit::after(limit), {}));
    }

    template <detail::condition_lock Lock, class Rep, class Period>
    std::cv_status wait_for(Lock& lock, std::chrono::duration<Rep, Period> limit,
                            std::error_code& ec) noexcept
    {
        return status_of(wait_within(lock, time_limit::after(limit), {}, ec));
    }

    template <detail::condition_lock Lock, class Clock, class Duration>
    std::cv_status wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> when)
    {
        return status_of(wait_within(lock, time_limit::at(when), {}));
    }

    template <detail::condition_lock Lock, class Clock, class Duration>
    std::cv_status wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> when,
                              std::error_code& ec) noexcept
    {
        return status_of(wait_within(lock, time_limit::at(when), {}, ec));
    }

    // These wait until `done()` is true, or until the limit. They return what done() says in the end.
    // The forms with ec return false if they set it.
    // Round trips, on failure, threads, cancellation: as above.
    template <detail::condition_lock Lock, class Rep, class Period, std::predicate Predicate>
    bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> limit, Predicate done)
    {
        return wait_for(lock, std::stop_token{}, limit, std::move(done));
    }

    template <detail::condition_lock Lock, class Rep, class Period, std::predicate Predicate>
    bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> limit, Predicate done,
                  std::error_code& ec)
    {
        return wait_for(lock, std::stop_token{}, limit, std::move(done), ec);
    }

    template <detail::condition_lock Lock, class Clock, class Duration, std::predicate Predicate>
    bool wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> when, Predicate done)
    {
        return wait_until(lock, std::stop_token{}, when, std::move(done));
    }

    template <detail::condition_lock Lock, class Clock, class Duration, std::predicate Predicate>
    bool wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> when, Predicate done,
                    std::error_code& ec)
    {
        return wait_until(lock, std::stop_token{}, when, std::move(done), ec);
    }

    // The same with a stop token, as in std::condition_variable_any. After a stop request they acquire
    // the lock again, and return what done() says then.
    // Round trips, on failure, threads: as above.
    // Cancellation: a stop request ends the wait for a notification.
    template <detail::condition_lock Lock, std::predicate Predicate>
    bool wait(Lock& lock, std::stop_token stop, Predicate done)
    {
        return wait_until_done(lock, stop, done, time_limit::never);
    }

    template <detail::condition_lock Lock, std::predicate Predicate>
    bool wait(Lock& lock, std::stop_token stop, Predicate done, std::error_code& ec)
    {
        return wait_until_done(lock, stop, done, time_limit::never, ec);
    }

    template <detail::condition_lock Lock, class Rep, class Period, std::predicate Predicate>
    bool wait_for(Lock& lock, std::stop_token stop, std::chrono::duration<Rep, Period> limit,
                  Predicate done)
    {
        return wait_until_done(lock, stop, done, detail::rest_of{time_limit::after(limit)});
    }

    template <detail::condition_lock Lock, class Rep, class Period, std::predicate Predicate>
    bool wait_for(Lock& lock, std::stop_token stop, std::chrono::duration<Rep, Period> limit,
                  Predicate done, std::error_code& ec)
    {
        return wait_until_done(lock, stop, done, detail::rest_of{time_limit::after(limit)}, ec);
    }

    template <detail::condition_lock Lock, class Clock, class Duration, std::predicate Predicate>
    bool wait_until(Lock& lock, std::stop_token stop, std::chrono::time_point<Clock, Duration> when,
                    Predicate done)
    {
        return wait_until_done(lock, stop, done, [when] { return time_limit::at(when); });
    }

    template <detail::condition_lock Lock, class Clock, class Duration, std::predicate Predicate>
    bool wait_until(Lock& lock, std::stop_token stop, std::chrono::time_point<Clock, Duration> when,
                    Predicate done, std::error_code& ec)
    {
        return wait_until_done(lock, stop, done, [when] { return time_limit::at(when); }, ec);
    }

    // ── Boost.Asio ──────────────────────────────────────────────────────────────────────────────

    // These wait and notify with any completion token of Boost.Asio, as the members of acquirable
    // do. They need <pawl/asio.h>, which has the arguments of the handlers. `held` is empty as soon
    // as the function returns; the handler gets the new hold.
    // Round trips, on failure, threads: as the blocking calls, and as acquirable::async_acquire().
    // Cancellation: of the waits, through the handler's associated cancellation slot. That ends the
    //     wait for a notification; the handler gets the hold too.
    template <class CompletionToken>
    auto async_wait(hold&& held, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::wait(*this, std::move(held),
                                                             std::forward<CompletionToken>(token));
        }
    }

    template <class Rep, class Period, class CompletionToken>
    auto async_wait_for(hold&& held, std::chrono::duration<Rep, Period> limit,
                        CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::wait_within(
                *this, std::move(held), time_limit::after(limit),
                std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_notify_one(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::notify(
                *this, false, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_notify_all(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::notify(
                *this, true, std::forward<CompletionToken>(token));
        }
    }

    // Returns the name of the condition.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& name() const noexcept;

private:
    friend struct async_access;

    condition_variable(lockable& lock, std::string_view name);

    [[nodiscard]] static std::cv_status status_of(bool notified) noexcept
    {
        return notified ? std::cv_status::no_timeout : std::cv_status::timeout;
    }

    // The loop of std::condition_variable_any.
    template <class Predicate, class Wait>
    static bool wait_while(const std::stop_token& stop, Predicate& done, const Wait& wait)
    {
        while (!stop.stop_requested()) {
            if (done()) return true;
            if (!wait()) return done();
        }
        return done();
    }

    // `left` returns the rest of the limit.
    template <class Lock, class Predicate, class Limit>
    bool wait_until_done(Lock& lock, const std::stop_token& stop, Predicate& done,
                         const Limit& left)
    {
        return wait_while(stop, done, [&] { return wait_within(lock, left(), stop); });
    }

    template <class Lock, class Predicate, class Limit>
    bool wait_until_done(Lock& lock, const std::stop_token& stop, Predicate& done,
                         const Limit& left, std::error_code& ec)
    {
        ec.clear();
        const auto locked_and_done = [&] { return !ec && done(); };
        return wait_while(stop, locked_and_done,
                          [&] { return wait_within(lock, left(), stop, ec); });
    }

    // These return whether it was notified. After a failure the lock is not held, except after the
    // codes that change nothing.
    [[nodiscard]] bool wait_within(hold& held, time_limit limit, const std::stop_token& stop);
    [[nodiscard]] bool wait_locked(lockable& lock, bool& is_locked, time_limit limit,
                                   const std::stop_token& stop);
    [[noreturn]] void refuse_unlocked() const;

    template <class Mutex>
    [[nodiscard]] bool wait_within(std::unique_lock<Mutex>& lock, time_limit limit,
                                   const std::stop_token& stop)
    {
        if (!lock.owns_lock()) refuse_unlocked();
        // If the wait fails, the unique_lock must not unlock.
        auto* const owner = lock.release();
        bool is_locked = true;
        try {
            const bool notified = wait_locked(*owner, is_locked, limit, stop);
            lock = std::unique_lock<Mutex>{*owner, std::adopt_lock};
            return notified;
        } catch (...) {
            // Some failures are found before the lock is given back.
            lock = is_locked ? std::unique_lock<Mutex>{*owner, std::adopt_lock}
                             : std::unique_lock<Mutex>{*owner, std::defer_lock};
            throw;
        }
    }

    template <class Lock>
    [[nodiscard]] bool wait_within(Lock& lock, time_limit limit, const std::stop_token& stop,
                                   std::error_code& ec) noexcept
    {
        return detail::with_code(ec, [&] { return wait_within(lock, limit, stop); });
    }

    class state;
    std::unique_ptr<state> state_;
};

}  // namespace pawl
