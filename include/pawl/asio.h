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
// Errors. error_code is boost::system::error_code. A busy lock and a limit that has passed are not
// errors: the optional is empty, as with the blocking try_ forms. If an acquire is cancelled, or
// its client is destroyed, the code is boost::asio::error::operation_aborted, as in Asio's own
// operations; `ec == pawl::errc::cancelled` is true for it too. This is so for the try forms too,
// whereas the blocking try_ forms return an empty optional when they are cancelled. All other codes
// are those of <pawl/error.h>, and `ec == pawl::errc::unreachable` works. An error code has no room
// for the message of pawl::error::what(), which names the lock, the server and what to do.
// <pawl/coro.h> and <pawl/futures.h> throw pawl::error with the message.
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
// Lifetime. The mutex object, or the hold that is extended, must exist until the operation has
// started. Most tokens start the operation inside the call; with tokens such as `deferred` it
// starts later. async_release() takes the lock out of the hold when it is called. If an io_context
// is destroyed while calls are in progress, their handlers are destroyed without being called, and
// the acquires are cancelled. A lock that is granted too late is released in the background.
//
// Needs Boost 1.81 or later. In CMake, link to pawl::asio, from find_package(pawl COMPONENTS asio).
#pragma once

#include <pawl/acquirable.h>
#include <pawl/async.h>
#include <pawl/detail/asio_calls.h>
#include <pawl/detail/async_result.h>
#include <pawl/detail/forms.h>
#include <pawl/error.h>
#include <pawl/hold.h>
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

[[nodiscard]] inline boost::system::error_code asio_code(const std::error_code& ec) noexcept
{
    if (!ec) return {};  // converted to Boost, a zero std::error_code differs from Boost's own zero
    if (ec == errc::cancelled) return boost::asio::error::operation_aborted;
    return ec;
}

// Calls a handler with its arguments. It is posted to the handler's executor.
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
        // Not earlier: a slot may be used only on the handler's executor.
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (slot.is_connected()) slot.clear();
        std::apply(std::move(handler_), std::move(arguments_));
    }

private:
    Handler handler_;
    std::tuple<Arguments...> arguments_;
};

// A handler that waits to be called.
template <class Handler>
class asio_call final : public asio_calls::call {
public:
    // Stop is requested on `stop` when the handler's slot is cancelled, and when the call is
    // abandoned.
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
            // The handler may own the memory from which this call was allocated.
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

    // Call it after the handler was moved out.
    void destroy(memory allocator) noexcept
    {
        this->~asio_call();
        std::allocator_traits<memory>::deallocate(allocator, this, 1);
    }

    boost::asio::executor_work_guard<executor_type> work_;
    Handler handler_;
    std::stop_source stop_;
};

// The client's reference to such a call.
template <class Handler>
class asio_call_ref {
public:
    explicit asio_call_ref(asio_call<Handler>* call)
        : calls_{asio_calls_of(call->executor())}, call_{call}
    {
    }

    // Returns false if the handler's context is shut down. The handler is destroyed then.
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

// Result is hold, or std::optional<hold> for the try forms.
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

// Start the operations. An operation that cannot be started, as in a child process, is reported to
// the handler too: a coroutine could not catch an exception from here.

template <class Result>
struct asio_acquire {
    template <class Handler>
    void operator()(Handler handler, acquirable* lock, time_limit limit) const
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
};

}  // namespace detail
}  // namespace pawl
