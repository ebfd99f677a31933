// The calls of <pawl/async.h> for co_await, in coroutines of any kind.
//
//   task<void> sell(pawl::mutex& stock)
//   {
//       pawl::hold held = co_await pawl::coro::acquire(stock);
//       save(row, held.fence());
//       co_await pawl::coro::release(std::move(held));
//   }
//
//   co_await                          gives                  busy, too late   stopped     trouble
//   coro::acquire(lock)               hold                   waits            throws      throws
//   coro::try_acquire(lock)           std::optional<hold>    nullopt          nullopt     throws
//   coro::try_acquire_for(lock, 5s)   std::optional<hold>    nullopt          nullopt     throws
//   coro::release(std::move(held))    nothing                –                –           throws
//   coro::extend(held, 1min)          nothing                –                –           throws
//
//   coro::wait(latch)                 nothing                waits            throws      throws
//   coro::try_wait(latch)             bool                   false            false       throws
//   coro::wait_for(latch, 5s)         bool                   false            false       throws
//   coro::count_down(latch)           nothing                –                –           throws
//   coro::arrive_and_wait(latch)      nothing                waits            throws      throws
//   coro::arrive(barrier)             barrier::arrival       –                –           throws
//   coro::arrive_and_wait(barrier)    nothing                waits            throws      throws
//   coro::arrive_and_drop(barrier)    nothing                –                –           throws
//
//   coro::try_begin(once_per)         std::optional<turn>    nullopt          nullopt     throws
//   coro::due_in(once_per)            milliseconds           –                –           throws
//   coro::done(std::move(turn))       nothing                –                –           throws
//
//   coro::downgrade(prices, writer)     hold                        –         –           throws
//   coro::try_upgrade(prices, reader)   std::optional<hold>         nullopt   –           throws
//   coro::resize(seats, 8)              nothing                     –         –           throws
//   coro::current(leader)               std::optional<leader_info>  –         –           throws
//   coro::yield_to(term, "node 7")      bool                        false     –           throws
//
//   coro::wait(more, std::move(held))          hold          waits            hold        throws
//   coro::wait_for(more, std::move(held), 5s)  pair of hold  hold             hold        throws
//                                              and cv_status
//   coro::notify_one(more), notify_all(more)   nothing       –                –           throws
//
// try_begin() also gives nullopt if no run is due.
//
// `prices` is a shared_mutex, and `seats` a counting_semaphore. The calls that wait for a latch
// also wait for a barrier::arrival and a leader::change. <pawl/acquirable.h> and <pawl/waitable.h>
// say what trouble is.
//
// They throw pawl::error, as the blocking calls do. They throw it from co_await, not before.
//
// Where the coroutine continues. By default on the client's own thread. All renewals, deadlines and
// calls of the client depend on that thread. Code that runs there must be short, must not block,
// and must not destroy the client. (If the answer arrives before the coroutine is suspended, the
// coroutine continues on its own thread.) For anything else, pass as the last argument where to
// continue:
//
//   an executor     any object with execute(f), for example that of a thread pool or an io_context
//   a callable      it is called with a pawl::coro::resumption, and must arrange that the
//                   resumption is called. It must not throw
//
// The argument is copied. It is called on the client's thread, or on the coroutine's own thread if
// the answer arrives before the coroutine is suspended. The coroutine may continue before that call
// has returned. So create the pool or the io_context before the client, and destroy it after the
// client.
//
//   const auto on_pool = [&pool](pawl::coro::resumption go_on) { pool.submit(go_on); };
//   pawl::hold held = co_await pawl::coro::acquire(stock, {}, on_pool);
//
// Here the callable is stored in a variable first. A lambda that captures an object by value, such
// as a std::string or a std::shared_ptr, must be stored in this way. g++ 12 has a bug: it destroys
// such a lambda twice if it is created inside a co_await expression. pawl makes every compiler
// reject arguments for which this would happen.
//
// Threads. Any thread may call these functions. There is no re-entry into a recursive_mutex.
//
// Start. A call starts when it is awaited with co_await, not when the function returns. Its time
// limit counts from then.
//
// Cancellation. By `stop`, for the calls that acquire or wait. All others end by themselves: each of
// their requests within client_options::command_limit. Most of them send one; the calls that change
// a hold, and resize(), may send more.
//
// Lifetime. The mutex, latch or barrier object, or the hold that is extended or changed, must exist
// until co_await has suspended the coroutine. So it may be a temporary inside the co_await
// expression, where the parameter allows one. release() takes the lock out of the hold as soon as
// the function is called, before co_await. If the result of release() is destroyed without
// co_await, the lock is released then.
//
// A coroutine that is destroyed while it waits is not resumed. Its acquire is cancelled, and a lock
// that is granted too late is released in the background. Do not destroy a coroutine while another
// thread resumes it: destroy it on the thread that resumes it, or request stop and let it end. If
// you convert a resumption to a std::coroutine_handle<>, a destroyed coroutine may be resumed after
// all.
#pragma once

#include <pawl/barrier.h>
#include <pawl/condition_variable.h>
#include <pawl/counting_semaphore.h>
#include <pawl/detail/coro_change_operations.h>
#include <pawl/detail/coro_condition_operations.h>
#include <pawl/detail/coro_gate_operations.h>
#include <pawl/detail/coro_once_operations.h>
#include <pawl/detail/coro_operations.h>
#include <pawl/detail/coro_resume.h>
#include <pawl/detail/lock_argument.h>
#include <pawl/hold.h>
#include <pawl/latch.h>
#include <pawl/leader.h>
#include <pawl/once_per.h>
#include <pawl/shared_mutex.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <chrono>
#include <condition_variable>
#include <optional>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pawl::coro {

// The functions below return this. It has not started anything yet. Await it once.
template <class Operation, class ResumeOn>
class [[nodiscard]] awaitable {
public:
    awaitable(Operation&& what, ResumeOn&& where) : what_{std::move(what)}, where_{std::move(where)}
    {
    }

    detail::awaiter<Operation, ResumeOn> operator co_await() &&
    {
        return {std::move(what_), std::move(where_)};
    }

private:
    Operation what_;
    [[no_unique_address]] ResumeOn where_;
};

namespace detail {

template <class Where, class Operation>
[[nodiscard]] auto make_awaitable(Operation what, Where&& where)
{
    using place = std::remove_cvref_t<Where>;
    static_assert(resume_on<place>,
                  "resume_on must have execute(f), or be callable with a pawl::coro::resumption");
    static_assert(std::is_lvalue_reference_v<Where> || safe_temporary<place>,
                  "name resume_on before the co_await: g++ 12 would destroy this one twice");
    return awaitable<Operation, place>{std::move(what), place(std::forward<Where>(where))};
}

}  // namespace detail

// Waits until the lock is granted.
// Round trips: as acquirable::acquire().
// On failure: co_await throws pawl::error, with `cancelled` if stop was requested or the client was
//     destroyed.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto acquire(pawl::detail::lock_argument lock, std::stop_token stop = {},
                           ResumeOn&& resume_on = {})
{
    using operation = detail::acquire_operation<hold>;
    return detail::make_awaitable<ResumeOn>(
        operation{lock.get(), time_limit::never(), std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// Does not wait for others. The optional is empty if the lock is busy, if stop was requested, or if
// the client was destroyed.
// Round trips: as acquirable::try_acquire().
// On failure: co_await throws pawl::error.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto try_acquire(pawl::detail::lock_argument lock, std::stop_token stop = {},
                               ResumeOn&& resume_on = {})
{
    using operation = detail::acquire_operation<std::optional<hold>>;
    return detail::make_awaitable<ResumeOn>(
        operation{lock.get(), time_limit::now(), std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// Waits for `wait` at most, counted from co_await. The optional is empty if the lock was not
// granted in that time, if stop was requested, or if the client was destroyed.
// Round trips: as acquirable::try_acquire_for().
// On failure: co_await throws pawl::error.
template <class Rep, class Period, class ResumeOn = on_client_thread>
[[nodiscard]] auto try_acquire_for(pawl::detail::lock_argument lock,
                                   std::chrono::duration<Rep, Period> wait,
                                   std::stop_token stop = {}, ResumeOn&& resume_on = {})
{
    using operation = detail::acquire_operation<std::optional<hold>>;
    return detail::make_awaitable<ResumeOn>(
        operation{lock.get(), time_limit::after(wait), std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// Releases the lock. `what` is empty as soon as this function returns.
// Round trips: as hold::release().
// On failure: co_await throws pawl::error, as hold::release() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto release(hold&& what, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::release_operation{std::move(what)},
                                            std::forward<ResumeOn>(resume_on));
}

// Extends the lock. The hold may be moved or destroyed once the coroutine is suspended.
// Round trips: as hold::extend().
// On failure: co_await throws pawl::error, as hold::extend() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto extend(hold& what, std::chrono::milliseconds lease, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::extend_operation{what, lease},
                                            std::forward<ResumeOn>(resume_on));
}

// ── Shared mutexes ──────────────────────────────────────────────────────────────────────────────
// The old hold keeps the lock until the call has succeeded. Then it is empty. It may be moved once
// the coroutine is suspended. It is an argument without std::move(), so that it is still there
// after a failure.

// Makes the writer a reader, and gives its hold.
// Round trips: as shared_mutex::downgrade().
// On failure: co_await throws pawl::error, as shared_mutex::downgrade() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto downgrade(shared_mutex& lock, hold& writer, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::downgrade_operation{lock, writer},
                                            std::forward<ResumeOn>(resume_on));
}

// Makes the reader the writer if it is the only reader. Otherwise the optional is empty, and
// `reader` still has the lock. It is also empty if the client was destroyed; `reader` is lost then.
// Round trips: as shared_mutex::try_upgrade().
// On failure: co_await throws pawl::error, as shared_mutex::try_upgrade() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto try_upgrade(shared_mutex& lock, hold& reader, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::upgrade_operation{lock, reader},
                                            std::forward<ResumeOn>(resume_on));
}

// ── Semaphores ──────────────────────────────────────────────────────────────────────────────────

// Sets the capacity.
// Round trips: as counting_semaphore::resize().
// On failure: co_await throws pawl::error, as counting_semaphore::resize() does.
// Cancellation: none. It ends as counting_semaphore::resize() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto resize(counting_semaphore& what, unsigned capacity, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::resize_operation{what, capacity},
                                            std::forward<ResumeOn>(resume_on));
}

// ── Latches and barriers ────────────────────────────────────────────────────────────────────────

// Waits until the latch is open, until the phase of the arrival has ended, or until the leader has
// changed.
// Round trips: as waitable::wait().
// On failure: co_await throws pawl::error, with `cancelled` if stop was requested or the client was
//     destroyed.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto wait(const waitable& what, std::stop_token stop = {}, ResumeOn&& resume_on = {})
{
    using operation = detail::wait_operation<void>;
    return detail::make_awaitable<ResumeOn>(operation{what, time_limit::never(), std::move(stop)},
                                            std::forward<ResumeOn>(resume_on));
}

// Whether it is open.
// Round trips: one.
// On failure: co_await throws pawl::error.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto try_wait(const waitable& what, std::stop_token stop = {},
                            ResumeOn&& resume_on = {})
{
    using operation = detail::wait_operation<bool>;
    return detail::make_awaitable<ResumeOn>(operation{what, time_limit::now(), std::move(stop)},
                                            std::forward<ResumeOn>(resume_on));
}

// Waits for `limit` at most, counted from co_await. Gives false if it is not open by then, if stop
// was requested, or if the client was destroyed.
// Round trips: as waitable::wait_for().
// On failure: co_await throws pawl::error.
template <class Rep, class Period, class ResumeOn = on_client_thread>
[[nodiscard]] auto wait_for(const waitable& what, std::chrono::duration<Rep, Period> limit,
                            std::stop_token stop = {}, ResumeOn&& resume_on = {})
{
    using operation = detail::wait_operation<bool>;
    return detail::make_awaitable<ResumeOn>(
        operation{what, time_limit::after(limit), std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// Counts down.
// Round trips: one.
// On failure: co_await throws pawl::error, as latch::count_down() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto count_down(latch& what, unsigned count = 1, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::count_down_operation{what, count},
                                            std::forward<ResumeOn>(resume_on));
}

// Counts down, and waits until the latch is open.
// Round trips: as latch::arrive_and_wait().
// On failure: co_await throws pawl::error, with `cancelled` if stop was requested or the client was
//     destroyed.
// Cancellation: by `stop`, which ends the wait. The arrival counts even so. If the client is
//     destroyed before the arrival was answered, it may have counted or not.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto arrive_and_wait(latch& what, unsigned count = 1, std::stop_token stop = {},
                                   ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(
        detail::latch_arrive_and_wait_operation{what, count, std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// Arrives. coro::wait() of the result waits for the others.
// Round trips: one.
// On failure: co_await throws pawl::error, as barrier::arrive() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto arrive(barrier& what, unsigned count = 1, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::arrive_operation{what, count},
                                            std::forward<ResumeOn>(resume_on));
}

// Arrives, and waits until the phase has ended.
// Round trips: as barrier::arrive_and_wait().
// On failure: co_await throws pawl::error, with `cancelled` if stop was requested or the client was
//     destroyed.
// Cancellation: by `stop`, which ends the wait. The arrival counts even so. If the client is
//     destroyed before the arrival was answered, it may have counted or not.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto arrive_and_wait(barrier& what, std::stop_token stop = {},
                                   ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(
        detail::arrive_and_wait_operation{what, std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// Arrives, and takes no part in the next phases.
// Round trips: one.
// On failure: co_await throws pawl::error, as barrier::arrive_and_drop() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto arrive_and_drop(barrier& what, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::drop_operation{what},
                                            std::forward<ResumeOn>(resume_on));
}

// ── Condition variables ─────────────────────────────────────────────────────────────────────────
// `held` is empty as soon as the function returns. If the result is destroyed without co_await, the
// lock is released then.

// Gives the lock back, waits until it is notified, and has the lock again in the hold that it gives.
//
//     while (queue.empty()) held = co_await pawl::coro::wait(more, std::move(held));
//
// Round trips: as condition_variable::wait().
// On failure: co_await throws pawl::error. The lock is then not held.
// Cancellation: a stop request ends the wait for a notification. co_await then gives the hold too.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto wait(condition_variable& what, hold&& held, std::stop_token stop = {},
                        ResumeOn&& resume_on = {})
{
    using operation = detail::condition_operation<hold>;
    return detail::make_awaitable<ResumeOn>(
        operation{what, std::move(held), time_limit::never(), std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// The same, for `limit` at most, counted from co_await. Gives the hold, and std::cv_status::timeout
// if the limit has passed or stop was requested, and no notification came before.
// Round trips, on failure, cancellation: as wait().
template <class Rep, class Period, class ResumeOn = on_client_thread>
[[nodiscard]] auto wait_for(condition_variable& what, hold&& held,
                            std::chrono::duration<Rep, Period> limit, std::stop_token stop = {},
                            ResumeOn&& resume_on = {})
{
    using operation = detail::condition_operation<std::pair<hold, std::cv_status>>;
    return detail::make_awaitable<ResumeOn>(
        operation{what, std::move(held), time_limit::after(limit), std::move(stop)},
        std::forward<ResumeOn>(resume_on));
}

// Wake one waiter, or all.
// Round trips: one.
// On failure: co_await throws pawl::error, as condition_variable::notify_one() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto notify_one(condition_variable& what, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::notify_operation{what, false},
                                            std::forward<ResumeOn>(resume_on));
}

template <class ResumeOn = on_client_thread>
[[nodiscard]] auto notify_all(condition_variable& what, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::notify_operation{what, true},
                                            std::forward<ResumeOn>(resume_on));
}

// ── Once per period ─────────────────────────────────────────────────────────────────────────────

// Begins a run if one is due. The optional is empty if not, if a run is under way, if stop was
// requested, or if the client was destroyed.
// Round trips: one.
// On failure: co_await throws pawl::error.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto try_begin(once_per& what, std::stop_token stop = {}, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::begin_operation{what, std::move(stop)},
                                            std::forward<ResumeOn>(resume_on));
}

// Ends the run as a success. `what` is empty as soon as this function returns. If the result is
// destroyed without co_await, the run ends without done().
// Round trips: one.
// On failure: co_await throws pawl::error, as once_per::turn::done() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto done(once_per::turn&& what, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::once_done_operation{std::move(what)},
                                            std::forward<ResumeOn>(resume_on));
}

// Gives the time until the next run is due.
// Round trips: one.
// On failure: co_await throws pawl::error, as once_per::due_in() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto due_in(once_per& what, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::due_operation{what},
                                            std::forward<ResumeOn>(resume_on));
}

// ── Leaders ─────────────────────────────────────────────────────────────────────────────────────

// Hands the lead over to the candidate with this name. Gives true if it leads now: then the term is
// empty. Gives false if no such candidate waits: then the term goes on. The term may be moved once
// the coroutine is suspended.
// Round trips: as leader::term::yield_to().
// On failure: co_await throws pawl::error, as leader::term::yield_to() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto yield_to(leader::term& term, std::string_view candidate,
                            ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::yield_operation{term, candidate},
                                            std::forward<ResumeOn>(resume_on));
}

// Gives the leader, or std::nullopt if nobody leads.
// Round trips: one.
// On failure: co_await throws pawl::error, as leader::current() does.
template <class ResumeOn = on_client_thread>
[[nodiscard]] auto current(leader& where, ResumeOn&& resume_on = {})
{
    return detail::make_awaitable<ResumeOn>(detail::current_operation{where},
                                            std::forward<ResumeOn>(resume_on));
}

}  // namespace pawl::coro
