// The operations of once_per of <pawl/asio.h>. Not for users.
#pragma once

#include <pawl/async.h>
#include <pawl/detail/asio_handler.h>
#include <pawl/detail/asio_operations.h>
#include <pawl/error.h>
#include <pawl/once_per.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::detail {

template <class Handler>
class asio_begun final : public async::begin_completion {
public:
    explicit asio_begun(asio_call_ref<Handler> call) : call_{std::move(call)} {}

    void done(once_per::turn got, std::error_code ec, std::string_view) noexcept override
    {
        finish(call_, std::move(got), ec);
    }

    static void finish(const asio_call_ref<Handler>& call, once_per::turn&& got, std::error_code ec)
    {
        if (ec == errc::busy || ec == errc::not_due) ec = {};
        std::optional<once_per::turn> begun;
        if (got) begun = std::move(got);
        call.finish(asio_code(ec), std::move(begun));
    }

private:
    asio_call_ref<Handler> call_;
};

struct asio_try_begin {
    template <class Handler>
    void operator()(Handler handler, once_per* what) const
    {
        const std::stop_source stop;
        const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), stop)};
        if (!call.enlist()) return;
        using told = asio_begun<Handler>;
        try {
            async::try_begin(*what, std::make_unique<told>(call), stop.get_token());
        } catch (const std::system_error& e) {
            told::finish(call, {}, e.code());
        }
    }
};

struct asio_once_done {
    template <class Handler>
    void operator()(Handler handler, once_per::turn what) const
    {
        asio_start(std::move(handler), std::stop_source{std::nostopstate},
                   [&](auto told) { async::done(std::move(what), std::move(told)); });
    }
};

}  // namespace pawl::detail
