// The calls of <pawl/async.h> with std::future, for threads that do other work until the lock is
// granted.
//
//   std::future<pawl::hold> wanted = pawl::futures::acquire(stock);
//   prepare();
//   const pawl::hold held = wanted.get();
//
//   call                                what get() returns        throws
//   futures::acquire(lock)              hold                      trouble, cancelled
//   futures::try_acquire(lock)          std::optional<hold>       trouble
//   futures::try_acquire_for(lock, 5s)  std::optional<hold>       trouble
//   futures::release(std::move(held))   nothing                   as hold::release()
//   futures::extend(held, 1min)         nothing                   as hold::extend()
//
//   futures::wait(latch)                nothing                   trouble, cancelled
//   futures::try_wait(latch)            bool                      trouble
//   futures::wait_for(latch, 5s)        bool                      trouble
//   futures::count_down(latch)          nothing                   as latch::count_down()
//   futures::arrive_and_wait(latch)     nothing                   trouble, cancelled
//   futures::arrive(barrier)            barrier::arrival          as barrier::arrive()
//   futures::arrive_and_wait(barrier)   nothing                   trouble, cancelled
//   futures::arrive_and_drop(barrier)   nothing                   as barrier::arrive_and_drop()
//
//   futures::wait(more, std::move(held))          hold            trouble
//   futures::wait_for(more, std::move(held), 5s)  pair of hold    trouble
//                                                 and cv_status
//   futures::notify_one(more), notify_all(more)   nothing         trouble
//
//   futures::try_begin(once_per)        std::optional<turn>       trouble
//   futures::due_in(once_per)           milliseconds              as once_per::due_in()
//   futures::done(std::move(turn))      nothing                   as once_per::turn::done()
//
//   futures::downgrade(prices, writer)    hold                        as the blocking call
//   futures::try_upgrade(prices, reader)  std::optional<hold>         as the blocking call
//   futures::resize(seats, 8)             nothing                     as the blocking call
//   futures::current(leader)              std::optional<leader_info>  as the blocking call
//   futures::yield_to(term, "node 7")     bool                        as the blocking call
//
// `prices` is a shared_mutex, and `seats` a counting_semaphore. The calls that wait for a latch
// also wait for a barrier::arrival and a leader::change. <pawl/acquirable.h> and <pawl/waitable.h>
// say what trouble is.
//
// get() throws pawl::error, as the blocking calls do. The calls that acquire or wait can be
// cancelled with their stop_token: try_acquire, try_acquire_for and try_begin then return an empty optional,
// try_wait and wait_for return false. Destroying a future does not wait, and does not cancel the
// call. A hold that is never fetched with get() is released in the background.
//
// The call has started when the function returns. So the mutex, latch or barrier object may be
// destroyed. The hold that is extended may be moved or destroyed, and the hold that is changed may
// be moved.
//
// The functions themselves do not throw pawl::error: all failures go into the future. Any thread
// may call them. There is no re-entry into a recursive_mutex.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/async.h>
#include <pawl/barrier.h>
#include <pawl/condition_variable.h>
#include <pawl/counting_semaphore.h>
#include <pawl/detail/future_promises.h>
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
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

namespace pawl::futures {

// Waits until the lock is granted.
// Round trips: as acquirable::acquire().
// On failure: get() throws pawl::error, with `cancelled` after a stop request, or if the client was
//     destroyed.
// Threads: any thread may call it.
// Cancellation: by `stop`.
[[nodiscard]] inline std::future<hold> acquire(detail::lock_argument lock,
                                               std::stop_token stop = {})
{
    return detail::future_acquire<hold>(lock.get(), time_limit::never(), std::move(stop));
}

// Does not wait for others. The optional is empty if the lock is busy, if stop was requested, or if
// the client was destroyed.
// Round trips: as acquirable::try_acquire().
// On failure: get() throws pawl::error.
// Threads: any thread may call it.
// Cancellation: by `stop`.
[[nodiscard]] inline std::future<std::optional<hold>> try_acquire(detail::lock_argument lock,
                                                                  std::stop_token stop = {})
{
    return detail::future_acquire<std::optional<hold>>(lock.get(), time_limit::now(),
                                                       std::move(stop));
}

// Waits for `wait` at most. The optional is empty if the lock was not granted in that time, if stop
// was requested, or if the client was destroyed.
// Round trips: as acquirable::try_acquire_for().
// On failure: get() throws pawl::error.
// Threads: any thread may call it.
// Cancellation: by `stop`.
template <class Rep, class Period>
[[nodiscard]] std::future<std::optional<hold>> try_acquire_for(
    detail::lock_argument lock, std::chrono::duration<Rep, Period> wait, std::stop_token stop = {})
{
    return detail::future_acquire<std::optional<hold>>(lock.get(), time_limit::after(wait),
                                                       std::move(stop));
}

// Releases the lock. It does so even if the future is discarded. `what` is empty as soon as this
// function returns.
// Round trips: as hold::release().
// On failure: get() throws pawl::error, as hold::release() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
inline std::future<void> release(hold&& what)
{
    return detail::future_of<detail::future_end>([&](std::unique_ptr<detail::future_end> told) {
        async::release(std::move(what), std::move(told));
    });
}

// Extends the lock. The hold may be moved or destroyed while the call is in progress.
// Round trips: as hold::extend().
// On failure: get() throws pawl::error, as hold::extend() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
[[nodiscard]] inline std::future<void> extend(hold& what, std::chrono::milliseconds lease)
{
    return detail::future_of<detail::future_end>([&](std::unique_ptr<detail::future_end> told) {
        async::extend(what, lease, std::move(told));
    });
}

// ── Shared mutexes ──────────────────────────────────────────────────────────────────────────────
// The old hold keeps the lock until the call has succeeded. Then it is empty. It may be moved
// meanwhile. It is an argument without std::move(), so that it is still there after a failure.

// Makes the writer a reader. A hold that is never fetched with get() is released.
// Round trips: as shared_mutex::downgrade().
// On failure: get() throws pawl::error, as shared_mutex::downgrade() does.
// Threads: any thread may call it, but not while another thread uses `writer`.
// Cancellation: none. The call ends as async::downgrade() does.
[[nodiscard]] inline std::future<hold> downgrade(shared_mutex& lock, hold& writer)
{
    return detail::future_of<detail::future_hold<hold>>(
        [&](auto told) { async::downgrade(lock, writer, std::move(told)); });
}

// Makes the reader the writer if it is the only reader. Otherwise the optional is empty, and
// `reader` still has the lock. It is also empty if the client was destroyed; `reader` is lost then.
// Round trips: as shared_mutex::try_upgrade().
// On failure: get() throws pawl::error, as shared_mutex::try_upgrade() does.
// Threads: any thread may call it, but not while another thread uses `reader`.
// Cancellation: none. The call ends as async::try_upgrade() does.
[[nodiscard]] inline std::future<std::optional<hold>> try_upgrade(shared_mutex& lock, hold& reader)
{
    return detail::future_of<detail::future_hold<std::optional<hold>>>(
        [&](auto told) { async::try_upgrade(lock, reader, std::move(told)); });
}

// ── Semaphores ──────────────────────────────────────────────────────────────────────────────────

// Sets the capacity. It does so even if the future is discarded.
// Round trips: as counting_semaphore::resize().
// On failure: get() throws pawl::error, as counting_semaphore::resize() does.
// Threads: any thread may call it.
// Cancellation: none. It ends as counting_semaphore::resize() does.
inline std::future<void> resize(counting_semaphore& what, unsigned capacity)
{
    return detail::future_of<detail::future_end>(
        [&](auto told) { async::resize(what, capacity, std::move(told)); });
}

// ── Latches and barriers ────────────────────────────────────────────────────────────────────────

// Waits until the latch is open, until the phase of the arrival has ended, or until the leader has
// changed.
// Round trips: as waitable::wait().
// On failure: get() throws pawl::error, with `cancelled` after a stop request, or if the client was
//     destroyed.
// Threads: any thread may call it.
// Cancellation: by `stop`.
[[nodiscard]] inline std::future<void> wait(const waitable& what, std::stop_token stop = {})
{
    return detail::future_wait<detail::future_end>(what, time_limit::never(), std::move(stop));
}

// Whether it is open.
// Round trips: one.
// On failure: get() throws pawl::error.
// Threads: any thread may call it.
// Cancellation: by `stop`.
[[nodiscard]] inline std::future<bool> try_wait(const waitable& what, std::stop_token stop = {})
{
    return detail::future_wait<detail::future_open>(what, time_limit::now(), std::move(stop));
}

// Waits for `limit` at most. The result is false if it is not open by then, if stop was requested,
// or if the client was destroyed.
// Round trips: as waitable::wait_for().
// On failure: get() throws pawl::error.
// Threads: any thread may call it.
// Cancellation: by `stop`.
template <class Rep, class Period>
[[nodiscard]] std::future<bool> wait_for(const waitable& what,
                                         std::chrono::duration<Rep, Period> limit,
                                         std::stop_token stop = {})
{
    return detail::future_wait<detail::future_open>(what, time_limit::after(limit),
                                                    std::move(stop));
}

// Counts down. It does so even if the future is discarded.
// Round trips: one.
// On failure: get() throws pawl::error, as latch::count_down() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
inline std::future<void> count_down(latch& what, unsigned count = 1)
{
    return detail::future_of<detail::future_end>([&](std::unique_ptr<detail::future_end> told) {
        async::count_down(what, count, std::move(told));
    });
}

// Counts down, and waits until the latch is open. It counts even if the future is discarded.
// Round trips: as latch::arrive_and_wait().
// On failure: get() throws pawl::error, with `cancelled` after a stop request, or if the client was
//     destroyed.
// Threads: any thread may call it.
// Cancellation: by `stop`, which ends the wait. The arrival counts even so. If the client is
//     destroyed before the arrival was answered, it may have counted or not.
[[nodiscard]] inline std::future<void> arrive_and_wait(latch& what, unsigned count = 1,
                                                       std::stop_token stop = {})
{
    return detail::future_of<detail::future_end>(
        [&](auto told) { async::arrive_and_wait(what, count, std::move(told), std::move(stop)); });
}

// Arrives. futures::wait() of the result waits for the others.
// Round trips: one.
// On failure: get() throws pawl::error, as barrier::arrive() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
[[nodiscard]] inline std::future<barrier::arrival> arrive(barrier& what, unsigned count = 1)
{
    return detail::future_of<detail::future_arrival>(
        [&](std::unique_ptr<detail::future_arrival> told) {
            async::arrive(what, count, std::move(told));
        });
}

// Arrives, and waits until the phase has ended.
// Round trips: as barrier::arrive_and_wait().
// On failure: get() throws pawl::error, with `cancelled` after a stop request, or if the client was
//     destroyed.
// Threads: any thread may call it.
// Cancellation: by `stop`, which ends the wait. The arrival counts even so. If the client is
//     destroyed before the arrival was answered, it may have counted or not.
[[nodiscard]] inline std::future<void> arrive_and_wait(barrier& what, std::stop_token stop = {})
{
    return detail::future_of<detail::future_end>([&](std::unique_ptr<detail::future_end> told) {
        async::arrive_and_wait(what, std::move(told), std::move(stop));
    });
}

// Arrives, and takes no part in the next phases. It does so even if the future is discarded.
// Round trips: one.
// On failure: get() throws pawl::error, as barrier::arrive_and_drop() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
inline std::future<void> arrive_and_drop(barrier& what)
{
    return detail::future_of<detail::future_end>([&](std::unique_ptr<detail::future_end> told) {
        async::arrive_and_drop(what, std::move(told));
    });
}

// Gives the lock back, waits until it is notified, and has the lock again in the hold of the future.
// `held` is empty as soon as this function returns.
// Round trips: as condition_variable::wait().
// On failure: get() throws pawl::error. The lock is then not held.
// Threads: any thread may call it.
// Cancellation: by `stop`, which ends the wait for a notification. The future has the hold then too.
[[nodiscard]] inline std::future<hold> wait(condition_variable& what, hold&& held,
                                            std::stop_token stop = {})
{
    return detail::future_of<detail::future_woken<hold>>([&](auto told) {
        async::wait(what, std::move(held), time_limit::never(), std::move(told), std::move(stop));
    });
}

// The same, for `limit` at most. The status is std::cv_status::timeout if the limit has passed or
// stop was requested, and no notification came before.
// Round trips, on failure, threads, cancellation: as wait().
template <class Rep, class Period>
[[nodiscard]] std::future<std::pair<hold, std::cv_status>> wait_for(
    condition_variable& what, hold&& held, std::chrono::duration<Rep, Period> limit,
    std::stop_token stop = {})
{
    using told_by = detail::future_woken<std::pair<hold, std::cv_status>>;
    return detail::future_of<told_by>([&](auto told) {
        async::wait(what, std::move(held), time_limit::after(limit), std::move(told),
                    std::move(stop));
    });
}

// Wake one waiter, or all. They do so even if the future is discarded.
// Round trips: one.
// On failure: get() throws pawl::error, as condition_variable::notify_one() does.
// Threads: any thread may call them.
// Cancellation: none. The calls end within client_options::command_limit.
inline std::future<void> notify_one(condition_variable& what)
{
    return detail::future_of<detail::future_end>(
        [&](auto told) { async::notify_one(what, std::move(told)); });
}

inline std::future<void> notify_all(condition_variable& what)
{
    return detail::future_of<detail::future_end>(
        [&](auto told) { async::notify_all(what, std::move(told)); });
}

// ── Once per period ─────────────────────────────────────────────────────────────────────────────

// Begins a run if one is due. The optional is empty if not, if a run is under way, if stop was
// requested, or if the client was destroyed. A turn that is never fetched with get() ends without
// done().
// Round trips: one.
// On failure: get() throws pawl::error.
// Threads: any thread may call it.
// Cancellation: by `stop`.
[[nodiscard]] inline std::future<std::optional<once_per::turn>> try_begin(once_per& what,
                                                                          std::stop_token stop = {})
{
    return detail::future_of<detail::future_turn>([&](std::unique_ptr<detail::future_turn> told) {
        async::try_begin(what, std::move(told), std::move(stop));
    });
}

// Ends the run as a success. It does so even if the future is discarded. `what` is empty as soon as
// this function returns.
// Round trips: one.
// On failure: get() throws pawl::error, as once_per::turn::done() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
inline std::future<void> done(once_per::turn&& what)
{
    return detail::future_of<detail::future_end>([&](std::unique_ptr<detail::future_end> told) {
        async::done(std::move(what), std::move(told));
    });
}

// Asks for the time until the next run is due.
// Round trips: one.
// On failure: get() throws pawl::error, as once_per::due_in() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
[[nodiscard]] inline std::future<std::chrono::milliseconds> due_in(once_per& what)
{
    return detail::future_of<detail::future_value<std::chrono::milliseconds>>(
        [&](auto told) { async::due_in(what, std::move(told)); });
}

// ── Leaders ─────────────────────────────────────────────────────────────────────────────────────

// Hands the lead over to the candidate with this name. The result is true if it leads now: then the
// term is empty. It is false if no such candidate waits: then the term goes on. The term may be
// moved while the call is in progress.
// Round trips: as leader::term::yield_to().
// On failure: get() throws pawl::error, as leader::term::yield_to() does.
// Threads: any thread may call it, one at a time.
// Cancellation: none. The call ends as async::yield_to() does.
[[nodiscard]] inline std::future<bool> yield_to(leader::term& term, std::string_view candidate)
{
    return detail::future_of<detail::future_value<bool>>(
        [&](auto told) { async::yield_to(term, candidate, std::move(told)); });
}

// Asks who leads. The result is std::nullopt if nobody does.
// Round trips: one.
// On failure: get() throws pawl::error, as leader::current() does.
// Threads: any thread may call it.
// Cancellation: none. The call ends within client_options::command_limit.
[[nodiscard]] inline std::future<std::optional<leader_info>> current(leader& where)
{
    return detail::future_of<detail::future_value<std::optional<leader_info>>>(
        [&](auto told) { async::current(where, std::move(told)); });
}

}  // namespace pawl::futures
