// How the calls of <pawl/futures.h> set their promises. Not for users.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/async.h>
#include <pawl/barrier.h>
#include <pawl/detail/async_result.h>
#include <pawl/hold.h>
#include <pawl/once_per.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <condition_variable>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pawl::detail {

// Puts into the promise the exception that the blocking call would have thrown.
template <class Result>
void break_promise(std::promise<Result>& promise, const std::error_code& ec,
                   std::string_view message) noexcept
{
    try {
        raise(ec, std::string{message});
    } catch (...) {
        promise.set_exception(std::current_exception());
    }
}

template <class Result>
class future_hold final : public async::acquire_completion {
public:
    void done(hold got, std::error_code ec, std::string_view message) noexcept override
    {
        constexpr bool tries = !std::is_same_v<Result, hold>;
        if (!ec) {
            promise.set_value(std::move(got));
        } else if (tries && is_just_no(ec)) {
            promise.set_value(Result{});
        } else {
            break_promise(promise, ec, message);
        }
    }

    std::promise<Result> promise;
};

class future_end final : public async::completion {
public:
    void done(std::error_code ec, std::string_view message) noexcept override
    {
        if (ec) {
            break_promise(promise, ec, message);
        } else {
            promise.set_value();
        }
    }

    std::promise<void> promise;
};

// For try_wait() and wait_for().
class future_open final : public async::completion {
public:
    void done(std::error_code ec, std::string_view message) noexcept override
    {
        if (!ec || is_just_no(ec)) {
            promise.set_value(!ec);
        } else {
            break_promise(promise, ec, message);
        }
    }

    std::promise<bool> promise;
};

class future_arrival final : public async::arrive_completion {
public:
    void done(barrier::arrival got, std::error_code ec, std::string_view message) noexcept override
    {
        if (ec) {
            break_promise(promise, ec, message);
        } else {
            promise.set_value(std::move(got));
        }
    }

    std::promise<barrier::arrival> promise;
};

// For a wait for a condition. Result is hold, or a pair of it and a std::cv_status.
template <class Result>
class future_woken final : public async::acquire_completion {
public:
    void done(hold got, std::error_code ec, std::string_view message) noexcept override
    {
        if (!got) {
            break_promise(promise, ec, message);
        } else if constexpr (std::is_same_v<Result, hold>) {
            promise.set_value(std::move(got));
        } else {
            promise.set_value({std::move(got), status_of(ec)});
        }
    }

    std::promise<Result> promise;
};

class future_turn final : public async::begin_completion {
public:
    void done(once_per::turn got, std::error_code ec, std::string_view message) noexcept override
    {
        if (!ec) {
            promise.set_value(std::move(got));
        } else if (is_just_no(ec)) {
            promise.set_value(std::nullopt);
        } else {
            break_promise(promise, ec, message);
        }
    }

    std::promise<std::optional<once_per::turn>> promise;
};

// For calls that ask for a value.
template <class Value>
class future_value final : public async::value_completion<Value> {
public:
    void done(Value got, std::error_code ec, std::string_view message) noexcept override
    {
        if (ec) {
            break_promise(promise, ec, message);
        } else {
            promise.set_value(std::move(got));
        }
    }

    std::promise<Value> promise;
};

// Errors that are known at once are thrown by the call. Here they go into the future, like all
// others.
template <class Told, class Start>
auto future_of(const Start& start)
{
    auto told = std::make_unique<Told>();
    auto result = told->promise.get_future();
    try {
        start(std::move(told));
    } catch (const std::system_error&) {
        decltype(Told::promise) broken;
        broken.set_exception(std::current_exception());
        return broken.get_future();
    }
    return result;
}

template <class Result>
std::future<Result> future_acquire(acquirable& lock, time_limit limit, std::stop_token stop)
{
    return future_of<future_hold<Result>>([&](std::unique_ptr<future_hold<Result>> told) {
        async::acquire(lock, limit, std::move(told), std::move(stop));
    });
}

template <class Told>
auto future_wait(const waitable& what, time_limit limit, std::stop_token stop)
{
    return future_of<Told>([&](std::unique_ptr<Told> told) {
        async::wait(what, limit, std::move(told), std::move(stop));
    });
}

}  // namespace pawl::detail
