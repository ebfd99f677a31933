// The asynchronous calls of <pawl/async.h> with Boost.Asio's completion tokens.
//
//   boost::asio::awaitable<void> sell(pawl::mutex& stock)
//   {
//       pawl::hold held = co_await stock.async_acquire(boost::asio::use_awaitable);
//       save(row, held.fence());
//       co_await held.async_release(boost::asio::use_awaitable);
//   }
//
//   call                                  handler                                      cancellable
//   lock.async_acquire(token)             void(error_code, pawl::hold)                 yes
//   lock.async_try_acquire(token)         void(error_code, std::optional<pawl::hold>)  yes
//   lock.async_try_acquire_for(5s, token) void(error_code, std::optional<pawl::hold>)  yes
//   held.async_release(token)             void(error_code)                             no
//   held.async_extend(1min, token)        void(error_code)                             no
//
//   latch.async_wait(token)               void(error_code)                                 yes
//   latch.async_try_wait(token)           void(error_code, bool)                           yes
//   latch.async_wait_for(5s, token)       void(error_code, bool)                           yes
//   latch.async_count_down(token)         void(error_code)                                 no
//   latch.async_arrive_and_wait(token)    void(error_code)                                 yes
//   barrier.async_arrive(token)           void(error_code, pawl::barrier::arrival)         no
//   barrier.async_arrive_and_wait(token)  void(error_code)                                 yes
//   barrier.async_arrive_and_drop(token)  void(error_code)                                 no
//
//   more.async_wait(std::move(held), token)          void(error_code, pawl::hold)                  yes
//   more.async_wait_for(std::move(held), 5s, token)  void(error_code, pawl::hold, std::cv_status)  yes
//   more.async_notify_one(token), _notify_all        void(error_code)                              no
//
// `more` is a condition_variable. If such a wait is cancelled, its handler gets operation_aborted and
// the hold, which has the lock again.
//
//   once_per.async_try_begin(token)       void(error_code, std::optional<pawl::once_per::turn>)  yes
//   once_per.async_due_in(token)          void(error_code, std::chrono::milliseconds)      no
//   turn.async_done(token)                void(error_code)                                 no
//
//   prices.async_downgrade(writer, token)    void(error_code, pawl::hold)                        no
//   prices.async_try_upgrade(reader, token)  void(error_code, std::optional<pawl::hold>)         no
//   seats.async_resize(8, token)             void(error_code)                                    no
//   leader.async_current(token)              void(error_code, std::optional<pawl::leader_info>)  no
//   term.async_yield_to("node 7", token)     void(error_code, bool)                              no
//
// `prices` is a shared_mutex, and `seats` a counting_semaphore. The writer, the reader or the term
// is empty when the call has succeeded. Until then it has the lock, and may be moved.
//
// A barrier::arrival and a leader::change have the functions of a latch that wait.
//
// Errors. error_code is boost::system::error_code. A busy lock, a limit that has passed and a run that is
// not due are not errors: the optional is empty, or the bool is false, as with the blocking forms. If a call is
// cancelled, or its client is destroyed, the code is boost::asio::error::operation_aborted, as in
// Asio's own operations; `ec == pawl::errc::cancelled` is true for it too. This is so for the try
// forms and async_wait_for() too, whereas the blocking ones return an empty optional or false when
// they are cancelled. All other codes are those of <pawl/error.h>, and
// `ec == pawl::errc::unreachable` works. An error code has no room for the message of
// pawl::error::what(), which names the lock, the server and what to do. <pawl/coro.h> and
// <pawl/futures.h> throw pawl::error with the message.
//
// Executor. The handler is called through its associated executor, never inside the call that
// started it, and never on the client's thread. A handler without an associated executor, such as a
// plain lambda, is called through the system_executor, on a thread of Asio's own: there is no I/O
// object whose executor could be used. While the call is in progress the executor has outstanding
// work, so io_context::run() does not return.
//
// Cancellation. Use the handler's associated cancellation slot, with any cancellation type. If the
// call is cancelled before the lock is granted, the handler gets operation_aborted. If the server
// has granted the lock and this client does not know it yet, the lock is released in the
// background. If the lock was granted to the call before it was cancelled, the handler gets the
// hold, without an error.
//
// Memory. Memory for the handler is allocated with its associated allocator, and is freed before
// the handler is called.
//
// Lifetime. The object whose member is called must exist until the operation has started. Most
// tokens start the operation inside the call; with tokens such as `deferred` it starts later.
// async_release() takes the lock out of the hold when it is called. If an io_context is destroyed
// while calls are in progress, their handlers are destroyed without being called, and calls that
// acquire or wait are cancelled. A lock that is granted too late is released in the background.
//
// Needs Boost 1.81 or later. In CMake, link to pawl::asio, from find_package(pawl COMPONENTS asio).
#pragma once

#include <pawl/acquirable.h>
#include <pawl/barrier.h>
#include <pawl/condition_variable.h>
#include <pawl/counting_semaphore.h>
#include <pawl/detail/asio_change_operations.h>
#include <pawl/detail/asio_condition_operations.h>
#include <pawl/detail/asio_gate_operations.h>
#include <pawl/detail/asio_once_operations.h>
#include <pawl/detail/asio_operations.h>
#include <pawl/detail/forms.h>
#include <pawl/error.h>
#include <pawl/hold.h>
#include <pawl/latch.h>
#include <pawl/leader.h>
#include <pawl/once_per.h>
#include <pawl/shared_mutex.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <condition_variable>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

// Boost can already compare its codes with pawl's. This one also treats operation_aborted as
// `cancelled`.
[[nodiscard]] inline bool operator==(const boost::system::error_code& ec, errc code) noexcept
{
    return ec == make_error_code(code) ||
           (code == errc::cancelled && ec == boost::asio::error::operation_aborted);
}

// Without this one, the operator above would make the comparison of a std::error_code ambiguous.
[[nodiscard]] inline bool operator==(const std::error_code& ec, errc code) noexcept
{
    return ec == make_error_code(code);
}

namespace detail {

template <class Result, class CompletionToken>
auto asio_initiate_acquire(acquirable& lock, time_limit limit, CompletionToken&& token)
{
    return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code, Result)>(
        asio_acquire<Result>{}, token, &lock, limit);
}

// The members of acquirable and hold call these functions.
template <class CompletionToken>
struct asio_forms {
    static auto acquire(acquirable& lock, CompletionToken&& token)
    {
        return asio_initiate_acquire<hold>(lock, time_limit::never(),
                                           std::forward<CompletionToken>(token));
    }

    static auto acquire_within(acquirable& lock, time_limit limit, CompletionToken&& token)
    {
        return asio_initiate_acquire<std::optional<hold>>(lock, limit,
                                                          std::forward<CompletionToken>(token));
    }

    static auto release(hold& what, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_release{}, token, std::move(what));
    }

    static auto extend(hold& what, std::chrono::milliseconds lease, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_extend{}, token, &what, lease);
    }

    static auto wait(const waitable& what, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_wait{}, token, &what);
    }

    static auto wait_within(const waitable& what, time_limit limit, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code, bool)>(
            asio_wait_within{}, token, &what, limit);
    }

    static auto count_down(latch& what, unsigned count, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_count_down{}, token, &what, count);
    }

    static auto arrive(barrier& what, unsigned count, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken,
                                           void(boost::system::error_code, barrier::arrival)>(
            asio_arrive{}, token, &what, count);
    }

    static auto arrive_and_wait(barrier& what, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_arrive_and_wait{}, token, &what);
    }

    static auto arrive_and_wait(latch& what, unsigned count, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_latch_arrive_and_wait{}, token, &what, count);
    }

    static auto arrive_and_drop(barrier& what, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_arrive_and_drop{}, token, &what);
    }

    static auto wait(condition_variable& what, hold&& held, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code, hold)>(
            asio_wait_for_condition<false>{}, token, &what, std::move(held), time_limit::never());
    }

    static auto wait_within(condition_variable& what, hold&& held, time_limit limit,
                            CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken,
                                           void(boost::system::error_code, hold, std::cv_status)>(
            asio_wait_for_condition<true>{}, token, &what, std::move(held), limit);
    }

    static auto notify(condition_variable& what, bool all, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_notify{}, token, &what, all);
    }

    static auto try_begin(once_per& what, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code,
                                                                 std::optional<once_per::turn>)>(
            asio_try_begin{}, token, &what);
    }

    static auto done(once_per::turn& what, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_once_done{}, token, std::move(what));
    }

    static auto due_in(once_per& what, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code,
                                                                 std::chrono::milliseconds)>(
            asio_due_in{}, token, &what);
    }

    static auto downgrade(shared_mutex& lock, hold& writer, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code, hold)>(
            asio_downgrade{}, token, &lock, &writer);
    }

    static auto try_upgrade(shared_mutex& lock, hold& reader, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken,
                                           void(boost::system::error_code, std::optional<hold>)>(
            asio_try_upgrade{}, token, &lock, &reader);
    }

    static auto resize(counting_semaphore& what, unsigned capacity, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code)>(
            asio_resize{}, token, &what, capacity);
    }

    static auto yield_to(leader::term& term, std::string_view candidate, CompletionToken&& token)
    {
        // A copy, because some tokens start the operation later.
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code, bool)>(
            asio_yield{}, token, &term, std::string{candidate});
    }

    static auto current(leader& where, CompletionToken&& token)
    {
        return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code,
                                                                 std::optional<leader_info>)>(
            asio_current{}, token, &where);
    }
};

}  // namespace detail
}  // namespace pawl
