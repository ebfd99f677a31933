// The operations that <pawl/coro.h> can await: how each starts its call, and how it turns the
// answer into a result. Not for users.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/async.h>
#include <pawl/detail/async_result.h>
#include <pawl/detail/coro_resume.h>
#include <pawl/hold.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <concepts>
#include <coroutine>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::coro::detail {

template <class ResumeOn>
class call_with_place final : public call {
public:
    call_with_place(std::coroutine_handle<> who, ResumeOn&& where)
        : call{who}, where_{std::move(where)}
    {
    }

    static void go_on(const std::shared_ptr<call_with_place>& self)
    {
        if constexpr (std::same_as<ResumeOn, on_client_thread>) {
            self->resume();
        } else if constexpr (executor<ResumeOn>) {
            self->where_.execute(resumption{self});
        } else {
            self->where_(resumption{self});
        }
    }

private:
    [[no_unique_address]] ResumeOn where_;
};

template <class ResumeOn>
class tell_acquired final : public async::acquire_completion {
public:
    explicit tell_acquired(std::shared_ptr<call_with_place<ResumeOn>> call) : call_{std::move(call)}
    {
    }

    void done(hold got, std::error_code ec, std::string_view message) noexcept override
    {
        if (call_->answered(std::move(got), ec, message)) call_->go_on(call_);
    }

private:
    std::shared_ptr<call_with_place<ResumeOn>> call_;
};

template <class ResumeOn>
class tell_done final : public async::completion {
public:
    explicit tell_done(std::shared_ptr<call_with_place<ResumeOn>> call) : call_{std::move(call)} {}

    void done(std::error_code ec, std::string_view message) noexcept override
    {
        if (call_->answered({}, ec, message)) call_->go_on(call_);
    }

private:
    std::shared_ptr<call_with_place<ResumeOn>> call_;
};

// Two things can cancel a call: the caller's token, and the destruction of the coroutine.
class stop_link {
public:
    explicit stop_link(std::stop_token stop) noexcept : stop_{std::move(stop)} {}

    // Only before begin().
    stop_link(stop_link&& other) noexcept : stop_{std::move(other.stop_)} {}
    stop_link(const stop_link&) = delete;
    stop_link& operator=(const stop_link&) = delete;
    stop_link& operator=(stop_link&&) = delete;
    ~stop_link() = default;

    // Returns the token for the call.
    [[nodiscard]] std::stop_token begin()
    {
        if (stop_.stop_possible()) forward_.emplace(std::move(stop_), forward{own_});
        return own_.get_token();
    }

    void request_stop() noexcept { own_.request_stop(); }

private:
    class forward {
    public:
        explicit forward(std::stop_source whose) noexcept : whose_{std::move(whose)} {}
        void operator()() const noexcept
        {
            auto mine = whose_;  // *this may be destroyed before request_stop() returns
            mine.request_stop();
        }

    private:
        std::stop_source whose_;
    };

    std::stop_token stop_;
    std::stop_source own_;
    std::optional<std::stop_callback<forward>> forward_;
};

// Acquires. Result is hold, or std::optional<hold> for the try forms.
template <class Result>
class acquire_operation {
public:
    acquire_operation(acquirable& lock, time_limit limit, std::stop_token stop)
        : lock_{&lock}, limit_{limit}, stop_{std::move(stop)}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::acquire(*lock_, limit_, std::make_unique<tell_acquired<ResumeOn>>(call),
                       stop_.begin());
    }

    void call_off() noexcept { stop_.request_stop(); }

    [[nodiscard]] static Result result(call& from)
    {
        constexpr bool tries = !std::same_as<Result, hold>;
        if (!from.code()) return from.take();
        if (tries && pawl::detail::is_just_no(from.code())) return Result{};
        pawl::detail::raise(from.code(), from.message());
    }

private:
    acquirable* lock_;
    time_limit limit_;
    stop_link stop_;
};

class release_operation {
public:
    explicit release_operation(hold&& what) noexcept : what_{std::move(what)} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::release(std::move(what_), std::make_unique<tell_done<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    static void result(call& from)
    {
        if (from.code()) pawl::detail::raise(from.code(), from.message());
    }

private:
    hold what_;
};

class extend_operation {
public:
    extend_operation(hold& what, std::chrono::milliseconds lease) noexcept
        : what_{&what}, lease_{lease}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::extend(*what_, lease_, std::make_unique<tell_done<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    static void result(call& from)
    {
        if (from.code()) pawl::detail::raise(from.code(), from.message());
    }

private:
    hold* what_;
    std::chrono::milliseconds lease_;
};

template <class Operation, class ResumeOn>
class awaiter {
public:
    awaiter(Operation&& what, ResumeOn&& where) : what_{std::move(what)}, where_{std::move(where)}
    {
    }
    awaiter(const awaiter&) = delete;
    awaiter& operator=(const awaiter&) = delete;

    ~awaiter()
    {
        if (call_ && call_->left()) what_.call_off();
    }

    [[nodiscard]] static bool await_ready() noexcept { return false; }

    bool await_suspend(std::coroutine_handle<> who)
    {
        // A copy of the pointer: once the call has begun, *this may be destroyed at any moment.
        const auto call = std::make_shared<call_with_place<ResumeOn>>(who, std::move(where_));
        call_ = call;
        what_.start(call);
        if (call->begun()) return true;
        if constexpr (std::same_as<ResumeOn, on_client_thread>) {
            return false;  // the answer is here already: continue on this thread
        } else {
            call->go_on(call);
            return true;
        }
    }

    decltype(auto) await_resume() { return what_.result(*call_); }

private:
    Operation what_;
    [[no_unique_address]] ResumeOn where_;
    std::shared_ptr<call_with_place<ResumeOn>> call_;
};

}  // namespace pawl::coro::detail
