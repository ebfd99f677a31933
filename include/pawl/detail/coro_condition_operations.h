// The operations of condition variables that <pawl/coro.h> can await. Not for users.
#pragma once

#include <pawl/async.h>
#include <pawl/condition_variable.h>
#include <pawl/detail/async_result.h>
#include <pawl/detail/coro_gate_operations.h>
#include <pawl/detail/coro_operations.h>
#include <pawl/hold.h>
#include <pawl/time_limit.h>

#include <concepts>
#include <condition_variable>
#include <memory>
#include <stop_token>
#include <utility>

namespace pawl::coro::detail {

// Waits. Result is hold, or a pair of it and a std::cv_status.
template <class Result>
class condition_operation {
public:
    condition_operation(condition_variable& what, hold&& held, time_limit limit,
                        std::stop_token stop) noexcept
        : what_{&what}, held_{std::move(held)}, limit_{limit}, stop_{std::move(stop)}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::wait(*what_, std::move(held_), limit_,
                    std::make_unique<tell_acquired<ResumeOn>>(call), stop_.begin());
    }

    void call_off() noexcept { stop_.request_stop(); }

    [[nodiscard]] static Result result(call& from)
    {
        auto held = from.take();
        // After its limit or a stop request it has the lock too.
        if (!held) pawl::detail::raise(from.code(), from.message());
        if constexpr (std::same_as<Result, hold>) {
            return held;
        } else {
            return Result{std::move(held), pawl::detail::status_of(from.code())};
        }
    }

private:
    condition_variable* what_;
    hold held_;
    time_limit limit_;
    stop_link stop_;
};

class notify_operation {
public:
    notify_operation(condition_variable& what, bool all) noexcept : what_{&what}, all_{all} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        auto told = std::make_unique<tell_done<ResumeOn>>(call);
        if (all_) {
            async::notify_all(*what_, std::move(told));
        } else {
            async::notify_one(*what_, std::move(told));
        }
    }

    void call_off() noexcept {}

    static void result(call& from) { check(from); }

private:
    condition_variable* what_;
    bool all_;
};

}  // namespace pawl::coro::detail
