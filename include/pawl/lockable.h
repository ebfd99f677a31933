// What pawl::mutex, pawl::recursive_mutex and pawl::fair_mutex have in common: handles from
// acquire(), and the interface of std::timed_mutex over them.
//
//   call                      waits             busy        limit passed   token stopped   trouble
//   acquire                   for ever          waits       –              throws          throws
//   try_acquire               no                nullopt     –              nullopt         throws
//   try_acquire_for, _until   to the limit      waits       nullopt        nullopt         throws
//   lock                      for ever          waits       –              –               throws
//   try_lock                  no                false       –              –               throws
//   try_lock_for, _until      to the limit      waits       false          –               throws
//   unlock                    no                –           –              –               never throws
//
// Trouble is `unreachable`, `refused`, `not_a_lock` and `wrong_process`; in lock() also
// `would_deadlock`, where the try_ forms say no; and with a recursive_mutex `lost` and `bad_argument`
// (too deep). The forms
// with a std::error_code& never throw: they return nothing and set it, to `busy`, `timed_out` and
// `cancelled` too.
//
// A lock that is free costs one round trip. Whoever has to wait takes a place in the server's queue
// with that same request, and holds the lock when he is told; a client's first wait also costs it a
// subscription. Threads of one client wait for each other in the process, where the lock is passed
// on without a round trip, unless it is a fair_mutex; docs/guarantees.md, "Waiting", has the
// bounds.
//
// A call that fails leaves nothing behind: the client takes back in the background its place in the
// queue, and what the server may have granted if an answer got lost on the way.
//
// All functions may be called from any thread. The mutex must outlive neither its holds nor its
// client; the client must outlive the mutex.
#pragma once

#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

namespace core {
enum class object_kind;
}
namespace sync {
class lock_state;
enum class fairness : bool;
}  // namespace sync

class PAWL_EXPORT lockable {
public:
    lockable(const lockable&) = delete;
    lockable& operator=(const lockable&) = delete;

    // ── Handles ─────────────────────────────────────────────────────────────────────────────────

    [[nodiscard]] hold acquire(const std::stop_token& stop = {});
    [[nodiscard]] hold acquire(std::error_code& ec) noexcept;
    [[nodiscard]] hold acquire(const std::stop_token& stop, std::error_code& ec) noexcept;

    [[nodiscard]] std::optional<hold> try_acquire(const std::stop_token& stop = {});
    [[nodiscard]] std::optional<hold> try_acquire(std::error_code& ec) noexcept;
    [[nodiscard]] std::optional<hold> try_acquire(const std::stop_token& stop,
                                                  std::error_code& ec) noexcept;

    template <class Rep, class Period>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      const std::stop_token& stop = {})
    {
        return try_acquire_within(time_limit::after(wait), stop);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::after(wait), {}, ec);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      const std::stop_token& stop,
                                                      std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::after(wait), stop, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, const std::stop_token& stop = {})
    {
        return try_acquire_within(time_limit::at(when), stop);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::at(when), {}, ec);
    }

    template <class Clock, class Duration>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, const std::stop_token& stop,
        std::error_code& ec) noexcept
    {
        return try_acquire_within(time_limit::at(when), stop, ec);
    }

    // ── Without blocking ────────────────────────────────────────────────────────────────────────
    // docs/async.md tells which to use. Each header says more. Without it the
    // compiler names the header that is missing.

    // <pawl/asio.h>: with any completion token of Boost.Asio. The handler is called with an error
    // code and a hold; the last two with a std::optional<hold>, empty when the lock is busy.
    template <class CompletionToken>
    auto async_acquire(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::acquire(
                *this, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_try_acquire(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::acquire_within(
                *this, time_limit::now(), std::forward<CompletionToken>(token));
        }
    }

    template <class Rep, class Period, class CompletionToken>
    auto async_acquire_for(std::chrono::duration<Rep, Period> wait, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::acquire_within(
                *this, time_limit::after(wait), std::forward<CompletionToken>(token));
        }
    }

    // <pawl/coro.h>: to be awaited in any coroutine, for the same results. `resume_on` says where
    // the coroutine goes on.
    template <class ResumeOn = coro::on_client_thread>
    [[nodiscard]] auto acquire_async(std::stop_token stop = {}, ResumeOn&& resume_on = {})
    {
        if constexpr (detail::has_coro<ResumeOn>()) {
            return detail::coro_forms<ResumeOn>::acquire(*this, std::move(stop),
                                                         std::forward<ResumeOn>(resume_on));
        }
    }

    template <class ResumeOn = coro::on_client_thread>
    [[nodiscard]] auto try_acquire_async(std::stop_token stop = {}, ResumeOn&& resume_on = {})
    {
        if constexpr (detail::has_coro<ResumeOn>()) {
            return detail::coro_forms<ResumeOn>::acquire_within(
                *this, time_limit::now(), std::move(stop), std::forward<ResumeOn>(resume_on));
        }
    }

    template <class Rep, class Period, class ResumeOn = coro::on_client_thread>
    [[nodiscard]] auto acquire_async_for(std::chrono::duration<Rep, Period> wait,
                                         std::stop_token stop = {}, ResumeOn&& resume_on = {})
    {
        if constexpr (detail::has_coro<ResumeOn>()) {
            return detail::coro_forms<ResumeOn>::acquire_within(
                *this, time_limit::after(wait), std::move(stop), std::forward<ResumeOn>(resume_on));
        }
    }

    // ── The interface of std::timed_mutex ───────────────────────────────────────────────────────
    // What lock() acquires belongs to the calling thread: only that thread can unlock() it.

    void lock();
    [[nodiscard]] bool try_lock();

    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> wait)
    {
        return try_lock_within(time_limit::after(wait));
    }

    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> when)
    {
        return try_lock_within(time_limit::at(when));
    }

    // Gives back what the calling thread locked last. One round trip, or none: see hold::release.
    // With lock_options::linger it means "whoever asks may have it". The first form tells a failure
    // to the client's log; the second to its caller, as hold::release does, with `not_owner` when
    // this thread has nothing locked.
    void unlock() noexcept;
    void unlock(std::error_code& ec) noexcept;

    // What the calling thread locked last and has not unlocked, for its fence() and lost();
    // nullptr if nothing. Valid until unlock().
    [[nodiscard]] hold* current() const noexcept;

    [[nodiscard]] const std::string& name() const noexcept;

protected:
    // A name is 1 to 512 bytes, any but NUL. Throws pawl::error (bad_argument).
    lockable(client& client, std::string_view name, const lock_options& options,
             core::object_kind kind, sync::fairness fairness);
    ~lockable();

private:
    friend struct async_access;

    std::optional<hold> try_acquire_within(time_limit limit, const std::stop_token& stop);
    std::optional<hold> try_acquire_within(time_limit limit, const std::stop_token& stop,
                                           std::error_code& ec) noexcept;
    bool try_lock_within(time_limit limit);

    std::unique_ptr<sync::lock_state> state_;
};

}  // namespace pawl
