// The operations of condition variables of <pawl/asio.h>. Not for users.
#pragma once

#include <pawl/async.h>
#include <pawl/condition_variable.h>
#include <pawl/detail/asio_handler.h>
#include <pawl/detail/asio_operations.h>
#include <pawl/detail/async_result.h>
#include <pawl/error.h>
#include <pawl/hold.h>
#include <pawl/time_limit.h>

#include <condition_variable>
#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::detail {

// The handler gets the hold, and with a limit also a std::cv_status.
template <bool is_limited, class Handler>
class asio_woken final : public async::acquire_completion {
public:
    explicit asio_woken(asio_call_ref<Handler> call) : call_{std::move(call)} {}

    void done(hold got, std::error_code ec, std::string_view) noexcept override
    {
        finish(call_, std::move(got), ec);
    }

    static void finish(const asio_call_ref<Handler>& call, hold&& got, const std::error_code& ec)
    {
        auto code = asio_code(ec == errc::timed_out ? std::error_code{} : ec);
        if constexpr (is_limited) {
            call.finish(std::move(code), std::move(got), status_of(ec));
        } else {
            call.finish(std::move(code), std::move(got));
        }
    }

private:
    asio_call_ref<Handler> call_;
};

template <bool is_limited>
struct asio_wait_for_condition {
    template <class Handler>
    void operator()(Handler handler, condition_variable* what, hold held, time_limit limit) const
    {
        const std::stop_source stop;
        const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), stop)};
        if (!call.enlist()) return;
        using told = asio_woken<is_limited, Handler>;
        try {
            async::wait(*what, std::move(held), limit, std::make_unique<told>(call),
                        stop.get_token());
        } catch (const std::system_error& e) {
            told::finish(call, {}, e.code());
        }
    }
};

struct asio_notify {
    template <class Handler>
    void operator()(Handler handler, condition_variable* what, bool all) const
    {
        asio_start(std::move(handler), std::stop_source{std::nostopstate}, [&](auto told) {
            if (all) {
                async::notify_all(*what, std::move(told));
            } else {
                async::notify_one(*what, std::move(told));
            }
        });
    }
};

}  // namespace pawl::detail
