// The memory that the processes of one round share: when to start and stop, who is inside, and what
// each of them measured.
//
//   field       written by                    read by
//   go, stop    the parent                    workers, in their loops
//   ready       each thread of a worker once  the parent
//   inside, …   the holder of the lock        the next holder
//   waiting, …  the threads that wait         the worker that releases them
//   opened, …   the worker that releases      the threads that wait
//   seats       the thread of that seat       the parent; the histograms when all have ended
#pragma once

#include "common/latency_histogram.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pawl::bench {

using histogram = common::latency_histogram;

inline constexpr std::size_t most_seats = 16;

struct alignas(64) seat {
    std::atomic<std::uint64_t> grants;
    std::atomic<std::uint64_t> hand_offs;  // grants of a lock that another thread had before
    histogram wait;                        // from the request until it holds the lock
    histogram cycle;                       // from the request until it has released the lock
    histogram hand_off;    // from just before the unlock until another thread holds it
    histogram round_trip;  // of a PING
};

struct board {
    std::atomic<std::uint32_t> go;
    std::atomic<std::uint32_t> stop;
    alignas(64) std::atomic<std::uint32_t> ready;

    alignas(64) std::atomic<std::int32_t> inside;
    std::atomic<std::uint32_t> violations;        // how often another holder was found inside
    std::atomic<std::uint32_t> last_holder;       // its seat, plus one
    std::atomic<std::int64_t> unlocked_at;        // ns of CLOCK_MONOTONIC
    alignas(64) std::atomic<std::uint32_t> turn;  // whose turn it is, if they take turns

    // If many are released at once, in one release after the other. The first two count in all
    // releases together.
    alignas(64) std::atomic<std::uint64_t> waiting;   // threads that have begun to wait
    alignas(64) std::atomic<std::uint64_t> returned;  // threads that are released
    std::atomic<std::int64_t> last_return;            // in this release, ns of CLOCK_MONOTONIC
    alignas(64) std::atomic<std::uint64_t> opened;    // the number of the release
    std::atomic<std::uint64_t> last_release;          // 0: not known yet

    std::array<seat, most_seats> seats;
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free, "shared between processes");

// A board in memory that children inherit over exec, by its descriptor number.
class shared_board {
public:
    shared_board();                 // a new one, all zeros
    explicit shared_board(int fd);  // that of the parent
    ~shared_board();
    shared_board(const shared_board&) = delete;
    shared_board& operator=(const shared_board&) = delete;

    [[nodiscard]] int fd() const noexcept { return fd_; }
    [[nodiscard]] board& operator*() const noexcept { return *board_; }
    [[nodiscard]] board* operator->() const noexcept { return board_; }

private:
    int fd_;
    board* board_;
};

// CLOCK_MONOTONIC: the same for all processes of this machine.
[[nodiscard]] std::int64_t now_ns() noexcept;

inline void note(histogram& times, std::int64_t ns) noexcept
{
    times.add(std::chrono::nanoseconds{ns});
}

[[nodiscard]] inline double in_us(std::chrono::nanoseconds time) noexcept
{
    return std::chrono::duration<double, std::micro>{time}.count();
}

}  // namespace pawl::bench
