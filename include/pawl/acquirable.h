// pawl::acquirable is the common interface of all locks of this library. acquire() and its variants
// return a handle, a pawl::hold.
//
//   pawl::mutex stock{client, "stock:42"};
//   if (auto held = stock.try_acquire_for(5s)) save(row, held->fence());
//
//                             waits for
//   call                      other holders     busy        limit passed   token stopped   trouble
//   acquire                   for ever          waits       –              throws          throws
//   try_acquire               no                nullopt     –              nullopt         throws
//   try_acquire_for, _until   to the limit      waits       nullopt        nullopt         throws
//
// Each call may also wait for the server's answer, up to client_options::command_limit.
//
// Trouble stands for one of these error codes; <pawl/error.h> explains each:
//   - `unreachable`, `refused`, `not_a_lock`, `wrong_process`;
//   - with a recursive_mutex also `lost`, if a thread enters again and the lock was lost, and
//     `bad_argument`, if it has entered again 255 times already.
//
// The forms with a std::error_code& do not throw. On success they clear ec. On failure they set ec
// and return an empty hold or std::nullopt. They also set `busy`, `timed_out` and `cancelled`.
//
// Waiting. If the lock is busy, the request that asked for it also puts the caller into the
// server's queue. The waiter holds the lock when the server's message about the grant arrives. A
// client that is not subscribed yet, as in its first wait, subscribes first, and the waiter asks
// again. Threads of one client that want the same mutex or recursive_mutex wait for each other in
// the process: one of them asks the server. The lock can be passed on there without a round trip;
// with `renew = false` it is not, and each release goes to the server. With `wait = poll`, each of
// their threads asks the server. The readers of a shared_mutex wait for each other, also with
// `poll`: one of them asks for all. With `renew = false` or with a heartbeat, each reader asks
// itself. The callers of all other locks ask the server themselves. docs/guarantees.md, "Waiting",
// has the bounds.
//
// After a call that failed, the client cleans up in the background. It gives up the place in the
// queue. It also releases the lock if the server may have granted it and the answer was lost. If
// the server cannot be reached, the lock is free when the lease ends.
//
// Lifetime. The mutex may be destroyed before its holds. Destroy the client after its mutexes. A
// hold that outlives its client is lost.
#pragma once

#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

namespace pawl {

class PAWL_EXPORT acquirable {
public:
    acquirable(const acquirable&) = delete;
    acquirable& operator=(const acquirable&) = delete;

    // ── Handles ─────────────────────────────────────────────────────────────────────────────────

    // Waits until the lock is granted, and returns the hold.
    // Round trips: one if the lock is free. One if a thread enters a recursive_mutex again. None if
    //     the lock is passed on inside the process, or if it stayed with this client after its last
    //     release (lock_options::linger). If another client has the lock: one to join the server's
    //     queue, then none until the server's message about the grant arrives, except one for each
    //     look (below). Joining takes at least one more if the client is not subscribed yet, and
    //     one more if the lock was free in the last calls (see try_acquire()).
    // On failure: throws pawl::error, or sets ec and returns an empty hold. Fails with
    //     `unreachable` when the server has not answered for client_options::command_limit. A
    //     waiter in the queue notices a silent server when the connection breaks, or at its next
    //     look: the request that it repeats every third of its lease (at least 0.5 s) to keep its
    //     place.
    // Threads: any thread may call it. If the calling thread holds a recursive_mutex already, it
    //     enters it again. With a mutex or fair_mutex it waits for itself, until its own hold is
    //     released or lost. acquire() does not detect this. lock() does, if the thread locked the
    //     same object with lock() or a try_lock form.
    // Cancellation: a stop request ends the wait at once, with `cancelled`.
    [[nodiscard]] hold acquire(const std::stop_token& stop = {});
    [[nodiscard]] hold acquire(std::error_code& ec) noexcept;
    [[nodiscard]] hold acquire(const std::stop_token& stop, std::error_code& ec) noexcept;

    // Returns the hold if the lock is free, and std::nullopt if it is busy. Does not wait for
    // others.
    // Round trips: one, also if a thread enters a recursive_mutex again. None if this client has
    //     the lock already, because another of its threads holds it or it lingers; with fair_mutex
    //     and `wait = poll` it is one in this case too. Two if the lock is busy and was free in the
    //     last calls: the client then first tries to take it with two plain commands, and runs the
    //     script on the server when they fail.
    // On failure: throws pawl::error, or sets ec and returns std::nullopt. Fails with `unreachable`
    //     as acquire() does, or sooner if there is no server at the address.
    // Threads: any thread may call it. A thread that holds a recursive_mutex enters it again.
    // Cancellation: a stop request ends the call at once.
    [[nodiscard]] std::optional<hold> try_acquire(const std::stop_token& stop = {});
    [[nodiscard]] std::optional<hold> try_acquire(std::error_code& ec) noexcept;
    [[nodiscard]] std::optional<hold> try_acquire(const std::stop_token& stop,
                                                  std::error_code& ec) noexcept;

    // These wait as acquire() does, but only until the limit. Then they return std::nullopt. If the
    // limit is zero or in the past, they do what try_acquire() does.
    // Round trips: as acquire().
    // On failure: as try_acquire(). If the limit passes and the server has not answered any of the
    //     requests that this call sent, they fail with `unreachable` and do not return
    //     std::nullopt. Each request has at least 100 ms for its answer, even if the limit is
    //     shorter.
    // Threads: as acquire().
    // Cancellation: a stop request ends the wait at once.
    template <class Rep, class Period>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      const std::stop_token& stop = {})
    {
        return try_acquire_within(time_limit::after(wait), stop);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::after(wait), {}, ec);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      const std::stop_token& stop,
                                                      std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::after(wait), stop, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, const std::stop_token& stop = {})
    {
        return try_acquire_within(time_limit::at(when), stop);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::at(when), {}, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, const std::stop_token& stop,
        std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::at(when), stop, ec);
    }

    // ── Without blocking ────────────────────────────────────────────────────────────────────────
    // These are for Boost.Asio. Coroutines without Boost, futures and other frameworks have free
    // functions, in <pawl/coro.h>, <pawl/futures.h> and <pawl/async.h>. docs/async.md helps to
    // choose.

    // These acquire the lock with any completion token of Boost.Asio. They need <pawl/asio.h>; if
    // it is not included, the compiler's message names it. The handler gets an error code and a
    // hold; for the last two functions a std::optional<hold>, which is empty if the lock is busy or
    // the limit has passed.
    // Round trips: as the blocking calls.
    // On failure: the handler gets the error code.
    // Threads: any thread may call them. The handler is called through its associated executor,
    //     never inside the call. There is no re-entry into a recursive_mutex.
    // Cancellation: through the handler's associated cancellation slot.
    template <class CompletionToken>
    auto async_acquire(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::acquire(
                *this, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_try_acquire(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::acquire_within(
                *this, time_limit::now(), std::forward<CompletionToken>(token));
        }
    }

    template <class Rep, class Period, class CompletionToken>
    auto async_try_acquire_for(std::chrono::duration<Rep, Period> wait, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::acquire_within(
                *this, time_limit::after(wait), std::forward<CompletionToken>(token));
        }
    }

    // Returns the name of the lock.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& name() const noexcept;

protected:
    // The library's own. The types of locks make it.
    class state;
    explicit acquirable(std::unique_ptr<state> made) noexcept;
    ~acquirable();

private:
    friend class lockable;
    friend struct async_access;

    std::optional<hold> try_acquire_within(time_limit limit, const std::stop_token& stop);
    std::optional<hold> try_acquire_within(time_limit limit, const std::stop_token& stop,
                                           std::error_code& ec) noexcept;

    std::unique_ptr<state> state_;
};

}  // namespace pawl
