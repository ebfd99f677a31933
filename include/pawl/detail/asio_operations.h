// The operations of <pawl/asio.h>: how each starts its call, and what its handler gets. Not for users.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/async.h>
#include <pawl/detail/asio_handler.h>
#include <pawl/error.h>
#include <pawl/hold.h>
#include <pawl/time_limit.h>

#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pawl::detail {

[[nodiscard]] inline boost::system::error_code asio_code(const std::error_code& ec) noexcept
{
    if (!ec) return {};  // converted to Boost, a zero std::error_code differs from Boost's own zero
    if (ec == errc::cancelled) return boost::asio::error::operation_aborted;
    return ec;
}

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

// For operations whose handler gets only the code.
template <class Handler, class Start>
void asio_start(Handler handler, const std::stop_source& stop, const Start& start)
{
    const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), stop)};
    if (!call.enlist()) return;
    try {
        start(std::make_unique<asio_done<Handler>>(call));
    } catch (const std::system_error& e) {
        call.finish(asio_code(e.code()));
    }
}

struct asio_release {
    template <class Handler>
    void operator()(Handler handler, hold what) const
    {
        asio_start(std::move(handler), std::stop_source{std::nostopstate},
                   [&](auto told) { async::release(std::move(what), std::move(told)); });
    }
};

struct asio_extend {
    template <class Handler>
    void operator()(Handler handler, hold* what, std::chrono::milliseconds lease) const
    {
        asio_start(std::move(handler), std::stop_source{std::nostopstate},
                   [&](auto told) { async::extend(*what, lease, std::move(told)); });
    }
};

}  // namespace pawl::detail
