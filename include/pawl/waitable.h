// pawl::waitable is the common interface of what can be waited for, and gives nothing to hold: a
// pawl::latch, an arrival at a pawl::barrier, and a change of leaders (pawl::leader::change).
//
//   call                  waits        limit passed   token stopped   trouble
//   wait                  for ever     –              throws          throws
//   try_wait              no           –              –               throws
//   wait_for, wait_until  to limit     false          false           throws
//
// Each call may also wait for the server's answer, up to client_options::command_limit. Trouble
// stands for `unreachable`, `refused`, `not_a_lock` or `wrong_process`; <pawl/error.h> explains
// each. The forms with a std::error_code& do not throw: they set ec, also to `busy`, `timed_out`
// and `cancelled`, and clear it on success.
//
// A waiter is in a queue on the server, and a message tells it that the wait is over. If that
// message is lost, the waiter finds out when it asks again, after 10 s at most.
//
// Destroy the client last. If it is destroyed during a wait, a blocking call fails with `refused`
// when it next asks the server, and an asynchronous call ends at once with `cancelled`.
#pragma once

#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

namespace pawl {

// The greatest number of arrivals that a latch or barrier can expect.
inline constexpr unsigned most_arrivals = 1'000'000;

class PAWL_EXPORT waitable {
public:
    waitable(const waitable&) = delete;
    waitable& operator=(const waitable&) = delete;

    // Waits until the latch is open, until the phase of the arrival has ended, or until there is
    // another leader or none. All of these are called open below.
    // Round trips: one if it is open; else one to join the queue, and one every 10 s. A wait for a
    //     change also asks when the lease of the leader, as it knows it, ends.
    // On failure: throws pawl::error, or sets ec. Fails with `unreachable` when the server has not
    //     answered for client_options::command_limit.
    // Threads: any thread may call it, several at the same time.
    // Cancellation: a stop request ends the wait at once, with `cancelled`.
    void wait(const std::stop_token& stop = {}) const;
    void wait(std::error_code& ec) const noexcept;
    void wait(const std::stop_token& stop, std::error_code& ec) const noexcept;

    // Whether it is open.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec and returns false.
    // Threads: any thread may call it.
    [[nodiscard]] bool try_wait() const;
    [[nodiscard]] bool try_wait(std::error_code& ec) const noexcept;

    // These wait as wait() does, but only until the limit. They return whether it is open.
    // Round trips: as wait().
    // On failure: as wait(), but false if the limit has passed or stop was requested.
    // Threads: as wait().
    // Cancellation: a stop request ends the wait at once.
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> limit,
                                const std::stop_token& stop = {}) const
    {
        return wait_within(time_limit::after(limit), stop);
    }

    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> limit,
                                std::error_code& ec) const noexcept
    {
        return wait_within(time_limit::after(limit), {}, ec);
    }

    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> limit,
                                const std::stop_token& stop, std::error_code& ec) const noexcept
    {
        return wait_within(time_limit::after(limit), stop, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> when,
                                  const std::stop_token& stop = {}) const
    {
        return wait_within(time_limit::at(when), stop);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> when,
                                  std::error_code& ec) const noexcept
    {
        return wait_within(time_limit::at(when), {}, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> when,
                                  const std::stop_token& stop, std::error_code& ec) const noexcept
    {
        return wait_within(time_limit::at(when), stop, ec);
    }

    // These wait with any completion token of Boost.Asio. They need <pawl/asio.h>; if it is not
    // included, the compiler's message names it. <pawl/coro.h>, <pawl/futures.h> and
    // <pawl/async.h> have functions for other frameworks. The handler gets an error code; for the
    // last two functions also whether it is open.
    // Round trips: as the blocking calls.
    // On failure: the handler gets the error code.
    // Threads: any thread may call them. The handler is called through its associated executor,
    //     never inside the call.
    // Cancellation: through the handler's associated cancellation slot.
    template <class CompletionToken>
    auto async_wait(CompletionToken&& token) const
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::wait(*this,
                                                             std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_try_wait(CompletionToken&& token) const
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::wait_within(
                *this, time_limit::now(), std::forward<CompletionToken>(token));
        }
    }

    template <class Rep, class Period, class CompletionToken>
    auto async_wait_for(std::chrono::duration<Rep, Period> limit, CompletionToken&& token) const
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::wait_within(
                *this, time_limit::after(limit), std::forward<CompletionToken>(token));
        }
    }

    // Returns the name of the latch, the barrier or the election.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] const std::string& name() const noexcept;

protected:
    // The library's own. Without a state there is nothing to wait for, and waiting fails with
    // `bad_argument`.
    class state;
    explicit waitable(std::unique_ptr<state> made) noexcept;
    [[nodiscard]] bool has_state() const noexcept { return state_ != nullptr; }
    waitable(waitable&&) noexcept;
    waitable& operator=(waitable&&) noexcept;
    ~waitable();

private:
    friend struct async_access;

    [[nodiscard]] state& mine() const;
    [[nodiscard]] bool wait_within(time_limit limit, const std::stop_token& stop) const;
    [[nodiscard]] bool wait_within(time_limit limit, const std::stop_token& stop,
                                   std::error_code& ec) const noexcept;

    std::unique_ptr<state> state_;
};

}  // namespace pawl
