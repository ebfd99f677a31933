// How a coroutine that awaited a call goes on, and where. Included by <pawl/coro.h>, which says more.
#pragma once

#include <pawl/detail/forms.h>
#include <pawl/hold.h>

#include <atomic>
#include <concepts>
#include <coroutine>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pawl::coro {

namespace detail {

// One call that a coroutine waits for, shared by the coroutine, the client and the resumption.
//
// The answer may come, on another thread, before the coroutine's own has left await_suspend(). So both
// say when they are through, and who comes second sees to it that the coroutine goes on.
class call {
public:
    explicit call(std::coroutine_handle<> who) noexcept : who_{who} {}

    // The request is on its way. Whether the coroutine has to wait for the answer.
    [[nodiscard]] bool begun() noexcept { return (phase_.fetch_or(is_begun) & is_answered) == 0; }

    // Whether the coroutine waits, and is to go on now.
    [[nodiscard]] bool answered(hold&& got, std::error_code ec, std::string_view message)
    {
        got_ = std::move(got);
        ec_ = ec;
        message_ = message;
        const auto before = phase_.fetch_or(is_answered);
        if ((before & is_left) != 0) got_ = {};
        return before == is_begun;
    }

    // The coroutine does not want the answer any more. Whether there was none yet.
    [[nodiscard]] bool left() noexcept
    {
        const bool early = (phase_.fetch_or(is_left) & is_answered) == 0;
        if (!early) got_ = {};
        return early;
    }

    void resume() const
    {
        if ((phase_.load() & is_left) == 0) who_.resume();
    }

    [[nodiscard]] std::coroutine_handle<> who() const noexcept { return who_; }

    // The answer, for the coroutine that has gone on.
    [[nodiscard]] hold take() noexcept { return std::move(got_); }
    [[nodiscard]] const std::error_code& code() const noexcept { return ec_; }
    [[nodiscard]] const std::string& message() const noexcept { return message_; }

private:
    static constexpr unsigned is_begun = 1;
    static constexpr unsigned is_answered = 2;
    static constexpr unsigned is_left = 4;

    std::coroutine_handle<> who_;
    std::atomic<unsigned> phase_{0};
    hold got_;
    std::error_code ec_;
    std::string message_;
};

}  // namespace detail

// What a callable is given to call, once, wherever the coroutine shall go on. Can be copied.
class resumption {
public:
    explicit resumption(std::shared_ptr<detail::call> what) noexcept : what_{std::move(what)} {}

    void operator()() const { what_->resume(); }
    void resume() const { what_->resume(); }

    // For those who keep nothing but handles.
    operator std::coroutine_handle<>() const noexcept { return what_->who(); }

private:
    std::shared_ptr<detail::call> what_;
};

template <class Where>
concept executor = requires(Where& where, resumption go_on) { where.execute(go_on); };

template <class Where>
concept resume_on =
    std::same_as<Where, on_client_thread> || executor<Where> || std::invocable<Where&, resumption>;

// Whether g++ 12 destroys a temporary of this type once. It does not with closures and aggregates
// that are not trivial, nor with what they were converted to on the way.
template <class Where>
concept safe_temporary =
    std::is_trivially_copyable_v<Where> || (executor<Where> && !std::is_aggregate_v<Where>);

}  // namespace pawl::coro
