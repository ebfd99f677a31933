// The operations of <pawl/asio.h> that change a hold or ask for a value. Not for users.
#pragma once

#include <pawl/async.h>
#include <pawl/counting_semaphore.h>
#include <pawl/detail/asio_handler.h>
#include <pawl/detail/asio_operations.h>
#include <pawl/error.h>
#include <pawl/hold.h>
#include <pawl/leader.h>
#include <pawl/once_per.h>
#include <pawl/shared_mutex.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::detail {

// For operations that end with a hold, and cannot be cancelled. Result is hold, or
// std::optional<hold>.
template <class Result, class Handler, class Start>
void asio_start_change(Handler handler, const Start& start)
{
    const std::stop_source none{std::nostopstate};
    const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), none)};
    if (!call.enlist()) return;
    using told = asio_acquired<Result, Handler>;
    try {
        start(std::make_unique<told>(call));
    } catch (const std::system_error& e) {
        told::finish(call, {}, e.code());
    }
}

struct asio_downgrade {
    template <class Handler>
    void operator()(Handler handler, shared_mutex* lock, hold* writer) const
    {
        asio_start_change<hold>(std::move(handler), [&](auto told) {
            async::downgrade(*lock, *writer, std::move(told));
        });
    }
};

struct asio_try_upgrade {
    template <class Handler>
    void operator()(Handler handler, shared_mutex* lock, hold* reader) const
    {
        asio_start_change<std::optional<hold>>(std::move(handler), [&](auto told) {
            async::try_upgrade(*lock, *reader, std::move(told));
        });
    }
};

struct asio_resize {
    template <class Handler>
    void operator()(Handler handler, counting_semaphore* what, unsigned capacity) const
    {
        asio_start(std::move(handler), std::stop_source{std::nostopstate},
                   [&](auto told) { async::resize(*what, capacity, std::move(told)); });
    }
};

template <class Value, class Handler>
class asio_value final : public async::value_completion<Value> {
public:
    explicit asio_value(asio_call_ref<Handler> call) : call_{std::move(call)} {}

    void done(Value got, std::error_code ec, std::string_view) noexcept override
    {
        call_.finish(asio_code(ec), std::move(got));
    }

private:
    asio_call_ref<Handler> call_;
};

// For operations that end with a value.
template <class Value, class Handler, class Start>
void asio_start_question(Handler handler, const Start& start)
{
    const std::stop_source none{std::nostopstate};
    const asio_call_ref<Handler> call{asio_call<Handler>::make(std::move(handler), none)};
    if (!call.enlist()) return;
    try {
        start(std::make_unique<asio_value<Value, Handler>>(call));
    } catch (const std::system_error& e) {
        call.finish(asio_code(e.code()), Value{});
    }
}

struct asio_yield {
    template <class Handler>
    void operator()(Handler handler, leader::term* term, const std::string& candidate) const
    {
        asio_start_question<bool>(std::move(handler), [&](auto told) {
            async::yield_to(*term, candidate, std::move(told));
        });
    }
};

struct asio_current {
    template <class Handler>
    void operator()(Handler handler, leader* where) const
    {
        asio_start_question<std::optional<leader_info>>(
            std::move(handler), [&](auto told) { async::current(*where, std::move(told)); });
    }
};

struct asio_due_in {
    template <class Handler>
    void operator()(Handler handler, once_per* what) const
    {
        asio_start_question<std::chrono::milliseconds>(
            std::move(handler), [&](auto told) { async::due_in(*what, std::move(told)); });
    }
};

}  // namespace pawl::detail
