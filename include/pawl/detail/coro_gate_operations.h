// The operations of latches and barriers that <pawl/coro.h> can await. Not for users.
#pragma once

#include <pawl/async.h>
#include <pawl/barrier.h>
#include <pawl/detail/async_result.h>
#include <pawl/detail/coro_operations.h>
#include <pawl/detail/coro_resume.h>
#include <pawl/latch.h>
#include <pawl/time_limit.h>
#include <pawl/waitable.h>

#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pawl::coro::detail {

inline void check(const call& from)
{
    if (from.code()) pawl::detail::raise(from.code(), from.message());
}

// Waits. Result is void, or bool for the forms that may return before it is open.
template <class Result>
class wait_operation {
public:
    wait_operation(const waitable& what, time_limit limit, std::stop_token stop)
        : what_{&what}, limit_{limit}, stop_{std::move(stop)}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::wait(*what_, limit_, std::make_unique<tell_done<ResumeOn>>(call), stop_.begin());
    }

    void call_off() noexcept { stop_.request_stop(); }

    static Result result(call& from)
    {
        constexpr bool tries = std::is_same_v<Result, bool>;
        if (!tries || !pawl::detail::is_just_no(from.code())) check(from);
        return Result(!from.code());
    }

private:
    const waitable* what_;
    time_limit limit_;
    stop_link stop_;
};

class count_down_operation {
public:
    count_down_operation(latch& what, unsigned count) noexcept : what_{&what}, count_{count} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::count_down(*what_, count_, std::make_unique<tell_done<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    static void result(call& from) { check(from); }

private:
    latch* what_;
    unsigned count_;
};

template <class ResumeOn>
class tell_arrived final : public async::arrive_completion {
public:
    explicit tell_arrived(std::shared_ptr<call_with_place<ResumeOn>> call) : call_{std::move(call)}
    {
    }

    void done(barrier::arrival got, std::error_code ec, std::string_view message) noexcept override
    {
        if (call_->arrived(std::move(got), ec, message)) call_->go_on(call_);
    }

private:
    std::shared_ptr<call_with_place<ResumeOn>> call_;
};

class arrive_operation {
public:
    arrive_operation(barrier& what, unsigned count) noexcept : what_{&what}, count_{count} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::arrive(*what_, count_, std::make_unique<tell_arrived<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    [[nodiscard]] static barrier::arrival result(call& from)
    {
        check(from);
        return from.take_arrival();
    }

private:
    barrier* what_;
    unsigned count_;
};

class drop_operation {
public:
    explicit drop_operation(barrier& what) noexcept : what_{&what} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::arrive_and_drop(*what_, std::make_unique<tell_done<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    static void result(call& from) { check(from); }

private:
    barrier* what_;
};

class latch_arrive_and_wait_operation {
public:
    latch_arrive_and_wait_operation(latch& what, unsigned count, std::stop_token stop)
        : what_{&what}, count_{count}, stop_{std::move(stop)}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::arrive_and_wait(*what_, count_, std::make_unique<tell_done<ResumeOn>>(call),
                               stop_.begin());
    }

    void call_off() noexcept { stop_.request_stop(); }

    static void result(call& from) { check(from); }

private:
    latch* what_;
    unsigned count_;
    stop_link stop_;
};

class arrive_and_wait_operation {
public:
    arrive_and_wait_operation(barrier& what, std::stop_token stop)
        : what_{&what}, stop_{std::move(stop)}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::arrive_and_wait(*what_, std::make_unique<tell_done<ResumeOn>>(call), stop_.begin());
    }

    void call_off() noexcept { stop_.request_stop(); }

    static void result(call& from) { check(from); }

private:
    barrier* what_;
    stop_link stop_;
};

}  // namespace pawl::coro::detail
