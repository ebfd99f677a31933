// The operations of latches and barriers of <pawl/asio.h>. Not for users.
#pragma once

#include <pawl/async.h>
#include <pawl/barrier.h>
#include <pawl/detail/asio_handler.h>
#include <pawl/detail/asio_operations.h>
#include <pawl/error.h>
#include <pawl/latch.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::detail {

struct asio_wait {
    template <class Handler>
    void operator()(Handler handler, const waitable* what) const
    {
        const std::stop_source stop;
        asio_start(std::move(handler), stop, [&](auto told) {
            async::wait(*what, time_limit::never(), std::move(told), stop.get_token());
        });
    }
};

template <class Handler>
class asio_open final : public async::completion {
public:
    explicit asio_open(asio_call_ref<Handler> call) : call_{std::move(call)} {}

    void done(std::error_code ec, std::string_view) noexcept override { finish(call_, ec); }

    static void finish(const asio_call_ref<Handler>& call, const std::error_code& ec)
    {
        const bool is_late = ec == errc::busy || ec == errc::timed_out;
        call.finish(asio_code(is_late ? std::error_code{} : ec), !ec);
    }

private:
    asio_call_ref<Handler> call_;
};

struct asio_wait_within {
    template <class Handler>
    void operator()(Handler handler, const waitable* what, time_limit limit) const
    {
        const std::stop_source stop;
        const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), stop)};
        if (!call.enlist()) return;
        using told = asio_open<Handler>;
        try {
            async::wait(*what, limit, std::make_unique<told>(call), stop.get_token());
        } catch (const std::system_error& e) {
            told::finish(call, e.code());
        }
    }
};

struct asio_count_down {
    template <class Handler>
    void operator()(Handler handler, latch* what, unsigned count) const
    {
        asio_start(std::move(handler), std::stop_source{std::nostopstate},
                   [&](auto told) { async::count_down(*what, count, std::move(told)); });
    }
};

template <class Handler>
class asio_arrived final : public async::arrive_completion {
public:
    explicit asio_arrived(asio_call_ref<Handler> call) : call_{std::move(call)} {}

    void done(barrier::arrival got, std::error_code ec, std::string_view) noexcept override
    {
        call_.finish(asio_code(ec), std::move(got));
    }

private:
    asio_call_ref<Handler> call_;
};

struct asio_arrive {
    template <class Handler>
    void operator()(Handler handler, barrier* what, unsigned count) const
    {
        const std::stop_source none{std::nostopstate};
        const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), none)};
        if (!call.enlist()) return;
        try {
            async::arrive(*what, count, std::make_unique<asio_arrived<Handler>>(call));
        } catch (const std::system_error& e) {
            call.finish(asio_code(e.code()), barrier::arrival{});
        }
    }
};

struct asio_latch_arrive_and_wait {
    template <class Handler>
    void operator()(Handler handler, latch* what, unsigned count) const
    {
        const std::stop_source stop;
        asio_start(std::move(handler), stop, [&](auto told) {
            async::arrive_and_wait(*what, count, std::move(told), stop.get_token());
        });
    }
};

struct asio_arrive_and_wait {
    template <class Handler>
    void operator()(Handler handler, barrier* what) const
    {
        const std::stop_source stop;
        asio_start(std::move(handler), stop, [&](auto told) {
            async::arrive_and_wait(*what, std::move(told), stop.get_token());
        });
    }
};

struct asio_arrive_and_drop {
    template <class Handler>
    void operator()(Handler handler, barrier* what) const
    {
        asio_start(std::move(handler), std::stop_source{std::nostopstate},
                   [&](auto told) { async::arrive_and_drop(*what, std::move(told)); });
    }
};

}  // namespace pawl::detail
