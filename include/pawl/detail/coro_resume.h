// How and where a coroutine continues after it has awaited a call. <pawl/coro.h> includes this
// header and explains more.
#pragma once

#include <pawl/barrier.h>
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

// The coroutine continues on the client's own thread.
struct on_client_thread {};

namespace detail {

// One call that a coroutine waits for. The coroutine, the client and the resumption share it.
//
// The answer may arrive on another thread before the coroutine's thread has left await_suspend().
// So both threads mark when they are done, and the second one makes the coroutine continue.
class call {
public:
    explicit call(std::coroutine_handle<> who) noexcept : who_{who} {}

    // The request was sent. Returns whether the coroutine has to wait for the answer.
    [[nodiscard]] bool begun() noexcept { return (phase_.fetch_or(is_begun) & is_answered) == 0; }

    // Stores the answer. Returns whether the coroutine waits and must be resumed now.
    [[nodiscard]] bool answered(hold&& got, std::error_code ec, std::string_view message)
    {
        got_ = std::move(got);
        ec_ = ec;
        message_ = message;
        const auto before = phase_.fetch_or(is_answered);
        if ((before & is_left) != 0) got_ = {};
        return before == is_begun;
    }

    [[nodiscard]] bool arrived(barrier::arrival&& got, std::error_code ec, std::string_view message)
    {
        arrived_ = std::move(got);
        return answered(hold{}, ec, message);
    }

    // The coroutine does not want the answer any more. Returns whether there was no answer yet.
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

    // The answer, for the coroutine after it was resumed.
    [[nodiscard]] hold take() noexcept { return std::move(got_); }
    [[nodiscard]] barrier::arrival take_arrival() noexcept { return std::move(arrived_); }
    [[nodiscard]] const std::error_code& code() const noexcept { return ec_; }
    [[nodiscard]] const std::string& message() const noexcept { return message_; }

private:
    static constexpr unsigned is_begun = 1;
    static constexpr unsigned is_answered = 2;
    static constexpr unsigned is_left = 4;

    std::coroutine_handle<> who_;
    std::atomic<unsigned> phase_{0};
    hold got_;
    barrier::arrival arrived_;
    std::error_code ec_;
    std::string message_;
};

}  // namespace detail

// Makes the coroutine continue. A callable for `resume_on` gets it, and arranges that it is called
// once, on the thread where the coroutine must continue. Can be copied.
class resumption {
public:
    explicit resumption(std::shared_ptr<detail::call> what) noexcept : what_{std::move(what)} {}

    void operator()() const { what_->resume(); }
    void resume() const { what_->resume(); }

    // For schedulers that store only coroutine handles.
    operator std::coroutine_handle<>() const noexcept { return what_->who(); }

private:
    std::shared_ptr<detail::call> what_;
};

template <class Where>
concept executor = requires(Where& where, resumption go_on) { where.execute(go_on); };

template <class Where>
concept resume_on =
    std::same_as<Where, on_client_thread> || executor<Where> || std::invocable<Where&, resumption>;

// Whether g++ 12 destroys a temporary of this type only once. It destroys closures and aggregates
// twice if they are not trivial, and also objects that they were converted to on the way.
template <class Where>
concept safe_temporary =
    std::is_trivially_copyable_v<Where> || (executor<Where> && !std::is_aggregate_v<Where>);

}  // namespace pawl::coro
