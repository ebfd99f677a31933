// The asynchronous calls of <pawl/async.h> with Boost.Asio's completion tokens.
//
//   boost::asio::awaitable<void> sell(pawl::mutex& stock)
//   {
//       pawl::hold held = co_await stock.async_acquire(boost::asio::use_awaitable);
//       save(row, held.fence());
//       co_await held.async_release(boost::asio::use_awaitable);
//   }
//
//   call                                  handler                                          cancels
//   lock.async_acquire(token)             void(error_code, pawl::hold)                     yes
//   lock.async_try_acquire(token)         void(error_code, std::optional<pawl::hold>)      yes
//   lock.async_acquire_for(5s, token)     void(error_code, std::optional<pawl::hold>)      yes
//   held.async_release(token)             void(error_code)                                 no
//   held.async_extend(1min, token)        void(error_code)                                 no
//
// error_code is boost::system::error_code. Busy, and a limit that passed, are no errors: the optional
// is empty, as with the blocking try_ forms. Everything else is an outcome of <pawl/error.h>, and
// `ec == pawl::errc::unreachable` works; a call that was cancelled, or whose client was destroyed, ends
// with what Asio's own end with, boost::asio::error::operation_aborted, and `ec == pawl::errc::cancelled`
// is true of that too. What pawl::error::what() would add, which lock, which server and what to do, an
// error code has no room for; <pawl/coro.h> and <pawl/future.h> throw it.
//
// Executor. The handler is called through its associated executor, never inside the call that
// started it, and never on the client's thread. A handler without one, such as a bare lambda, is
// called by the system_executor, on a thread of Asio's own: there is no I/O object here whose
// executor it could have. While the call is under way the executor has outstanding work, so
// io_context::run() does not return.
//
// Cancellation. Through the handler's associated cancellation slot, with any type: what is cancelled
// has taken nothing, as <pawl/async.h> says. When the lock was granted first, the handler gets it.
//
// Memory. What belongs to the handler is allocated with its associated allocator, and given back
// before the handler is called.
//
// What must live how long. The lock, or the hold that is extended, until the operation has been
// started: with tokens that start it later, as `deferred`, until then. A release takes its hold along
// at once. If an io_context is destroyed first, handlers are destroyed uncalled, acquires called off,
// and what was granted too late is given back in the background.
//
// Needs Boost 1.81; in CMake link to pawl::asio, from find_package(pawl COMPONENTS asio).
#pragma once

#include <pawl/async.h>
#include <pawl/detail/asio_calls.h>
#include <pawl/detail/async_result.h>
#include <pawl/detail/forms.h>
#include <pawl/error.h>
#include <pawl/hold.h>
#include <pawl/lockable.h>
#include <pawl/time_limit.h>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pawl {

// Boost can compare its codes with ours by itself, but would not know that this one is the same.
[[nodiscard]] inline bool operator==(const boost::system::error_code& ec, errc code) noexcept
{
    return ec == make_error_code(code) ||
           (code == errc::cancelled && ec == boost::asio::error::operation_aborted);
}

// Beside it, the comparison of std's codes with ours would be ambiguous without one of its own.
[[nodiscard]] inline bool operator==(const std::error_code& ec, errc code) noexcept
{
    return ec == make_error_code(code);
}

namespace detail {

[[nodiscard]] inline boost::system::error_code asio_code(const std::error_code& ec) noexcept
{
    if (!ec) return {};  // a std::error_code of zero in Boost's is not equal to Boost's own
    if (ec == errc::cancelled) return boost::asio::error::operation_aborted;
    return ec;
}

// The call of a handler with its arguments, posted to its executor.
template <class Handler, class... Arguments>
class asio_handler_call {
public:
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    asio_handler_call(Handler&& handler, Arguments&&... arguments)
        : handler_{std::move(handler)}, arguments_{std::move(arguments)...}
    {
    }

    [[nodiscard]] allocator_type get_allocator() const noexcept
    {
        return boost::asio::get_associated_allocator(handler_);
    }

    void operator()()
    {
        // Not before: slots are used on the handler's executor only.
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (slot.is_connected()) slot.clear();
        std::apply(std::move(handler_), std::move(arguments_));
    }

private:
    Handler handler_;
    std::tuple<Arguments...> arguments_;
};

// A handler that waits for its call.
template <class Handler>
class asio_call final : public asio_calls::call {
public:
    // `stop` is requested when the handler's slot is cancelled, and when it is abandoned.
    [[nodiscard]] static asio_call* make(Handler&& handler, std::stop_source stop)
    {
        memory allocator{boost::asio::get_associated_allocator(handler)};
        asio_call* const place = std::allocator_traits<memory>::allocate(allocator, 1);
        try {
            return ::new (static_cast<void*>(place)) asio_call{std::move(handler), std::move(stop)};
        } catch (...) {
            std::allocator_traits<memory>::deallocate(allocator, place, 1);
            throw;
        }
    }

    [[nodiscard]] auto executor() const noexcept { return work_.get_executor(); }

    template <class... Arguments>
    void post(Arguments&&... arguments)
    {
        const auto work = std::move(work_);
        const memory allocator{boost::asio::get_associated_allocator(handler_)};
        asio_handler_call<Handler, std::decay_t<Arguments>...> function{
            std::move(handler_), std::forward<Arguments>(arguments)...};
        destroy(allocator);
        boost::asio::post(work.get_executor(), std::move(function));
    }

    void abandon() noexcept override
    {
        auto stop = stop_;
        {
            // It may own the memory in which it stood.
            const Handler last{std::move(handler_)};
            destroy(memory{boost::asio::get_associated_allocator(last)});
        }
        stop.request_stop();
    }

private:
    using executor_type = boost::asio::associated_executor_t<Handler>;
    using memory = typename std::allocator_traits<
        boost::asio::associated_allocator_t<Handler>>::template rebind_alloc<asio_call>;

    asio_call(Handler&& handler, std::stop_source&& stop)
        : work_{boost::asio::get_associated_executor(handler)},
          handler_{std::move(handler)},
          stop_{std::move(stop)}
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (!stop_.stop_possible() || !slot.is_connected()) return;
        slot.assign([stop = stop_](boost::asio::cancellation_type type) mutable {
            if (type != boost::asio::cancellation_type::none) stop.request_stop();
        });
    }
    ~asio_call() override = default;

    // The handler was moved elsewhere.
    void destroy(memory allocator) noexcept
    {
        this->~asio_call();
        std::allocator_traits<memory>::deallocate(allocator, this, 1);
    }

    boost::asio::executor_work_guard<executor_type> work_;
    Handler handler_;
    std::stop_source stop_;
};

// What the client's thread has of such a call.
template <class Handler>
class asio_call_ref {
public:
    explicit asio_call_ref(asio_call<Handler>* call)
        : calls_{asio_calls_of(call->executor())}, call_{call}
    {
    }

    // False, and the handler is gone, when its context is.
    [[nodiscard]] bool enlist() const
    {
        if (calls_->add(*call_)) return true;
        call_->abandon();
        return false;
    }

    template <class... Arguments>
    void finish(Arguments&&... arguments) const
    {
        calls_->finish(*call_, [&] { call_->post(std::forward<Arguments>(arguments)...); });
    }

private:
    std::shared_ptr<asio_calls> calls_;
    asio_call<Handler>* call_;
};

// Result is hold, or std::optional<hold> for the forms that may say no.
template <class Result, class Handler>
class asio_acquired final : public async::acquire_completion {
public:
    explicit asio_acquired(asio_call_ref<Handler> call) : call_{std::move(call)} {}

    void done(hold got, std::error_code ec, std::string_view) noexcept override
    {
        finish(call_, std::move(got), ec);
    }

    static void finish(const asio_call_ref<Handler>& call, hold&& got, std::error_code ec)
    {
        if (!std::is_same_v<Result, hold> && (ec == errc::busy || ec == errc::timed_out)) ec = {};
        call.finish(asio_code(ec), got ? Result{std::move(got)} : Result{});
    }

private:
    asio_call_ref<Handler> call_;
};

template <class Handler>
class asio_done final : public async::completion {
public:
    explicit asio_done(asio_call_ref<Handler> call) : call_{std::move(call)} {}

    void done(std::error_code ec, std::string_view) noexcept override
    {
        call_.finish(asio_code(ec));
    }

private:
    asio_call_ref<Handler> call_;
};

// What starts the operations. What cannot even be started, as in a child process, is told to the
// handler as well: a coroutine could not catch it here.

template <class Result>
struct asio_acquire {
    template <class Handler>
    void operator()(Handler handler, lockable* lock, time_limit limit) const
    {
        std::stop_source stop;
        const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), stop)};
        if (!call.enlist()) return;
        using told = asio_acquired<Result, Handler>;
        try {
            async::acquire(*lock, limit, std::make_unique<told>(call), stop.get_token());
        } catch (const std::system_error& e) {
            told::finish(call, {}, e.code());
        }
    }
};

struct asio_release {
    template <class Handler>
    void operator()(Handler handler, hold what) const
    {
        const std::stop_source none{std::nostopstate};
        const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), none)};
        if (!call.enlist()) return;
        try {
            async::release(std::move(what), std::make_unique<asio_done<Handler>>(call));
        } catch (const std::system_error& e) {
            call.finish(asio_code(e.code()));
        }
    }
};

struct asio_extend {
    template <class Handler>
    void operator()(Handler handler, hold* what, std::chrono::milliseconds lease) const
    {
        const std::stop_source none{std::nostopstate};
        const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), none)};
        if (!call.enlist()) return;
        try {
            async::extend(*what, lease, std::make_unique<asio_done<Handler>>(call));
        } catch (const std::system_error& e) {
            call.finish(asio_code(e.code()));
        }
    }
};

template <class Result, class CompletionToken>
auto asio_initiate_acquire(lockable& lock, time_limit limit, CompletionToken&& token)
{
    return boost::asio::async_initiate<CompletionToken, void(boost::system::error_code, Result)>(
        asio_acquire<Result>{}, token, &lock, limit);
}

// What the members of lockable and hold call.
template <class CompletionToken>
struct asio_forms {
    static auto acquire(lockable& lock, CompletionToken&& token)
    {
        return asio_initiate_acquire<hold>(lock, time_limit::never(),
                                           std::forward<CompletionToken>(token));
    }

    static auto acquire_within(lockable& lock, time_limit limit, CompletionToken&& token)
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
};

}  // namespace detail
}  // namespace pawl
