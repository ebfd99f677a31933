// pawl::counting_semaphore: a std::counting_semaphore that spans processes and machines. It limits
// how many holders may work at the same time: connections to a database, jobs on a machine, calls
// to a service.
//
//   pawl::counting_semaphore seats{client, "seats", 5};    // 5 permits, for all processes together
//   const pawl::hold seat = seats.acquire();               // takes 1 of them
//   const pawl::hold two = seats.acquire(2);               // takes 2 of them, together
//
// Each hold has one or more permits, which come back together when it ends. A hold has its own
// lease, its own fence (each grant has a greater one than all grants before) and its own lost(). A
// resource must not refuse smaller fences here: several holders are valid at the same time. If a
// holder crashes, its permits come back when its lease ends. Any thread may release a hold. A
// thread may have several holds.
//
//   acquire(n), when                         does
//   n permits are free, and nobody waits     takes them
//   fewer are free                           waits for a release, the end of a lease, or resize()
//   others wait already                      waits behind them
//   n is greater than the capacity           fails: `bad_argument`, or `refused` after a resize()
//                                            elsewhere
//
// Order. Permits are granted in the order in which the waiters arrived at the server, as with a
// fair_mutex (<pawl/fair_mutex.h>). A waiter that wants many permits is not overtaken by one that
// wants few. It also blocks those behind it, even if their permits are free.
//
// Capacity. The first acquire tells the server the capacity. All programs must give the same one:
// an acquire with another capacity fails with `refused`, and the message gives both numbers. The
// server remembers the capacity as long as permits are out, and for at least 24 hours after the
// last release or resize(). If the last holder crashed, it may forget it sooner, but not before the
// lease has ended. resize() changes the capacity while the semaphore is in use.
//
// A quorum does not have this kind: docs/topologies/quorum.md, "Which locks work".
//
// <pawl/acquirable.h> documents the calls that take one permit, how a caller waits, and lifetimes.
// Permits are never passed on inside the process: every grant is made by the server.
#pragma once

#include <pawl/acquirable.h>
#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/hold.h>
#include <pawl/options.h>

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

class PAWL_EXPORT counting_semaphore : public acquirable {
public:
    // Checks the name (1 to 512 bytes, any except NUL), the capacity (1 to 1,000,000) and the
    // options: lock_options::linger must be 0, and lock_options::layout unset. No round trip.
    // Throws pawl::error (bad_argument).
    counting_semaphore(client& client, std::string_view name, unsigned capacity,
                       const lock_options& options = {});
    ~counting_semaphore();

    // ── One permit: as <pawl/acquirable.h> says ─────────────────────────────────────────────────

    using acquirable::acquire;
    using acquirable::try_acquire;
    using acquirable::try_acquire_for;
    using acquirable::try_acquire_until;

    // ── Several permits in one hold ─────────────────────────────────────────────────────────────
    // The type of n is deduced, so that `{}` in its place means an empty stop_token, and not 0.

    // Returns what acquires n permits, for calls that this class does not have, such as the
    // asynchronous ones:
    //
    //   co_await pawl::coro::acquire(seats.permits(2));
    //
    // It is part of the semaphore, and lives as long. The same n always gives the same object.
    // Round trips: none.
    // On failure: throws pawl::error: `bad_argument` if n is 0, or greater than the greatest
    //     capacity that this object knows: the one of the constructor, or of a resize() of this
    //     object that succeeded; `wrong_process` in a child process after fork().
    // Threads: any thread may call it.
    [[nodiscard]] acquirable& permits(unsigned n);

    // Waits until n permits are granted together, and returns their hold.
    // Round trips: one if the permits are free.
    // On failure: throws pawl::error, or sets ec and returns an empty hold. Fails as acquire()
    //     does, and with `bad_argument` as permits() does. Fails with `refused` if the server has
    //     another capacity, or if n is greater than it after a resize() elsewhere.
    // Threads: any thread may call it. A thread that has permits and waits for more can wait for
    //     itself.
    // Cancellation: a stop request ends the wait at once, with `cancelled`.
    template <std::integral Count>
    [[nodiscard]] hold acquire(Count n, const std::stop_token& stop = {})
    {
        return permits(number(n)).acquire(stop);
    }

    template <std::integral Count>
    [[nodiscard]] hold acquire(Count n, std::error_code& ec) noexcept
    {
        return acquire(n, {}, ec);
    }

    template <std::integral Count>
    [[nodiscard]] hold acquire(Count n, const std::stop_token& stop, std::error_code& ec) noexcept
    {
        auto* const wanted = permits(number(n), ec);
        return wanted != nullptr ? wanted->acquire(stop, ec) : hold{};
    }

    // Returns the hold if n permits are free and nobody waits for permits, and std::nullopt if not.
    // Does not wait for others.
    // Round trips: one.
    // On failure: as acquire(n). With ec, returns std::nullopt.
    // Threads: any thread may call it.
    // Cancellation: a stop request ends the call at once.
    template <std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire(Count n, const std::stop_token& stop = {})
    {
        return permits(number(n)).try_acquire(stop);
    }

    template <std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire(Count n, std::error_code& ec) noexcept
    {
        return try_acquire(n, {}, ec);
    }

    template <std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire(Count n, const std::stop_token& stop,
                                                  std::error_code& ec) noexcept
    {
        auto* const wanted = permits(number(n), ec);
        return wanted != nullptr ? wanted->try_acquire(stop, ec) : std::nullopt;
    }

    // These wait as acquire(n) does, but only until the limit. Then they return std::nullopt. If
    // the limit is zero or in the past, they do what try_acquire(n) does.
    // Round trips: as acquire(n).
    // On failure: as try_acquire(n), and with `unreachable` as the forms for one permit.
    // Threads: any thread may call them.
    // Cancellation: a stop request ends the wait at once.
    template <class Rep, class Period, std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      Count n, const std::stop_token& stop = {})
    {
        return permits(number(n)).try_acquire_for(wait, stop);
    }

    template <class Rep, class Period, std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      Count n, std::error_code& ec) noexcept
    {
        return try_acquire_for(wait, n, {}, ec);
    }

    template <class Rep, class Period, std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire_for(std::chrono::duration<Rep, Period> wait,
                                                      Count n, const std::stop_token& stop,
                                                      std::error_code& ec) noexcept
    {
        auto* const wanted = permits(number(n), ec);
        return wanted != nullptr ? wanted->try_acquire_for(wait, stop, ec) : std::nullopt;
    }

    template <class Clock, class Duration, std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, Count n, const std::stop_token& stop = {})
    {
        return permits(number(n)).try_acquire_until(when, stop);
    }

    template <class Clock, class Duration, std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, Count n, std::error_code& ec) noexcept
    {
        return try_acquire_until(when, n, {}, ec);
    }

    template <class Clock, class Duration, std::integral Count>
    [[nodiscard]] std::optional<hold> try_acquire_until(
        std::chrono::time_point<Clock, Duration> when, Count n, const std::stop_token& stop,
        std::error_code& ec) noexcept
    {
        auto* const wanted = permits(number(n), ec);
        return wanted != nullptr ? wanted->try_acquire_until(when, stop, ec) : std::nullopt;
    }

    // ── Capacity ────────────────────────────────────────────────────────────────────────────────

    // Returns the capacity that this object was made with. resize() does not change it.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] unsigned capacity() const noexcept;

    // Sets the capacity at the server, 1 to 1,000,000, for all programs. A greater capacity lets
    // waiters in at once. After a smaller one, holders keep the permits that they have, and nobody
    // enters until enough have come back. A waiter that wants more permits than there are now fails
    // with `refused`, at its next look at the latest (<pawl/options.h>, notify).
    //
    // From then on the server does not compare the capacity that programs give, so programs with
    // the old and with the new number work together. The server remembers it as long as is said at
    // the top of this file. After that, or when the server has lost its data, the capacity that
    // programs give counts again: change it there too.
    // Round trips: two, and one more for each other resize() that the server executes meanwhile.
    // On failure: throws pawl::error, or sets ec. After `unreachable`, the capacity may have been
    //     set even so, or may be set later, but not after another resize() has set it. The code is
    //     also `unreachable` if the server executed about a hundred others meanwhile. Unlike an
    //     acquire, it does not start the server of a local: URL.
    // Threads: any thread may call it. If several call it at the same time, any of them may come
    //     last.
    // Cancellation: none. Each round trip ends within client_options::command_limit.
    void resize(unsigned capacity);
    void resize(unsigned capacity, std::error_code& ec) noexcept;

    // The same without blocking, with any completion token of Boost.Asio. Needs <pawl/asio.h>;
    // <pawl/coro.h>, <pawl/futures.h> and <pawl/async.h> have functions for other frameworks. The
    // object may be destroyed once the call has started.
    // Round trips: as counting_semaphore::resize().
    // On failure: the handler gets the error code.
    // Threads: as resize(). The handler is called through its associated executor, never inside the
    //     call.
    // Cancellation: none. It ends as counting_semaphore::resize() does.
    template <class CompletionToken>
    auto async_resize(unsigned capacity, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::resize(
                *this, capacity, std::forward<CompletionToken>(token));
        }
    }

private:
    friend struct async_access;

    // 0, which is not allowed, if n does not fit.
    template <std::integral Count>
    [[nodiscard]] static constexpr unsigned number(Count n) noexcept
    {
        return std::in_range<unsigned>(n) ? static_cast<unsigned>(n) : 0;
    }

    // nullptr if n is not allowed. Then ec is set.
    [[nodiscard]] acquirable* permits(unsigned n, std::error_code& ec) noexcept;

    // What acquires several permits, for each number of them.
    class amounts;
    explicit counting_semaphore(std::shared_ptr<amounts> made);

    std::shared_ptr<amounts> amounts_;  // a resize() in progress shares it
};

}  // namespace pawl
