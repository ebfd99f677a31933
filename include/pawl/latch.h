// pawl::latch: a std::latch that spans processes and machines. It opens when it has been counted
// down as often as it expects, and stays open.
//
//   pawl::latch ready{client, "ready:2026-11-16", 3};
//   ready.count_down();      // in each of three processes
//   ready.wait();            // in any process
//
//   state    meaning                         count_down                      wait
//   closed   some count_down() are missing   counts; the last one opens it   waits
//   open     all have come                   fails with `refused`            returns at once
//
// The first call makes the latch at the server. The server forgets it 24 hours after the last call.
// After that, or if the server loses its data, the latch is closed and counts from the beginning.
// So give each use a name of its own, for example with the date or the number of the batch. If the
// server has a latch of this name that expects another number, calls fail with `refused`; the
// message has both numbers. A quorum has no latches: docs/topologies/quorum.md, "Which locks work".
//
// <pawl/waitable.h> documents the functions that wait. The object may be destroyed while other
// objects, in this process or elsewhere, use the same latch. Destroy the client last.
#pragma once

#include <pawl/client.h>
#include <pawl/detail/forms.h>
#include <pawl/export.h>
#include <pawl/waitable.h>

#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl {

class PAWL_EXPORT latch : public waitable {
public:
    // Checks the name (1 to 512 bytes, any except NUL) and the number (1 to max()). No round trip.
    // Throws pawl::error (bad_argument).
    latch(client& client, std::string_view name, unsigned expected);
    ~latch();
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;

    // Counts down by `count`. If nothing is missing any more, all waiters are told at once.
    // Round trips: one.
    // On failure: throws pawl::error, or sets ec. A request that is repeated because an answer was
    //     lost counts once. After `unreachable` it is not known whether it was counted. Fails with
    //     `refused` if fewer than `count` are missing; then nothing is counted.
    // Threads: any thread may call it, several at the same time.
    // Cancellation: none. The call ends within client_options::command_limit.
    void count_down(unsigned count = 1);
    void count_down(std::error_code& ec) noexcept;
    void count_down(unsigned count, std::error_code& ec) noexcept;

    // Counts down, then waits.
    // Round trips, on failure, threads: as count_down() and wait().
    // Cancellation: a stop request ends the wait at once, with `cancelled`. The arrival counts even
    //     so.
    void arrive_and_wait(unsigned count = 1, const std::stop_token& stop = {});
    void arrive_and_wait(std::error_code& ec) noexcept;
    void arrive_and_wait(unsigned count, const std::stop_token& stop, std::error_code& ec) noexcept;

    // Counts down with any completion token of Boost.Asio, as the members of waitable wait. The
    // handler gets an error code.
    // Round trips, on failure, threads: as count_down(), and as waitable::async_wait().
    // Cancellation: none. The call ends within client_options::command_limit.
    template <class CompletionToken>
    auto async_count_down(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::count_down(
                *this, 1, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_count_down(unsigned count, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::count_down(
                *this, count, std::forward<CompletionToken>(token));
        }
    }

    // Counts down and waits, with any completion token of Boost.Asio. The handler gets an error
    // code.
    // Round trips, on failure, threads: as arrive_and_wait(), and as waitable::async_wait().
    // Cancellation: through the handler's associated cancellation slot, which ends the wait. The
    //     arrival counts even so. If the client is destroyed before the arrival was answered, it
    //     may have counted or not.
    template <class CompletionToken>
    auto async_arrive_and_wait(CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::arrive_and_wait(
                *this, 1, std::forward<CompletionToken>(token));
        }
    }

    template <class CompletionToken>
    auto async_arrive_and_wait(unsigned count, CompletionToken&& token)
    {
        if constexpr (detail::has_asio<CompletionToken>()) {
            return detail::asio_forms<CompletionToken>::arrive_and_wait(
                *this, count, std::forward<CompletionToken>(token));
        }
    }

    // Returns the number that was given to the constructor.
    // Round trips: none.
    // Threads: any thread may call it.
    [[nodiscard]] unsigned expected() const noexcept;

    // Returns the greatest number that a latch can expect.
    [[nodiscard]] static constexpr unsigned max() noexcept { return most_arrivals; }

private:
    friend struct async_access;

    class arrivals;
    std::shared_ptr<arrivals> arrivals_;
};

}  // namespace pawl
