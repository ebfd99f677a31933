// What the threads of a worker do, by the pattern of the workload. Each function returns when the
// board says stop, and throws if anything goes wrong.
#pragma once

#include "board.h"
#include "worker.h"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace pawl::bench {

void cycle_on_one_lock(const worker_task& task, board& shared);
void take_over_and_back(const worker_task& task, board& shared);
void cycle_on_free_locks(const worker_task& task, board& shared);
void cycle_in_flight(const worker_task& task, board& shared);
void wait_and_be_released(const worker_task& task, board& shared);
void notify_each_other(const worker_task& task, board& shared);

// ── Common parts ────────────────────────────────────────────────────────────────────────────────

inline constexpr std::string_view contended_name = "pawl-bench";
inline constexpr std::chrono::seconds longest_turn{10};

// Checks again after each pause. Spinning would take processor time from the measured threads.
template <class Predicate>
void await(std::chrono::seconds limit, std::chrono::microseconds pause, const Predicate& holds)
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end)
            throw std::runtime_error{"the parent did not answer in time"};
        std::this_thread::sleep_for(pause);
    }
}

// Reports that this thread is ready, and returns when the parent says go.
void start_together(board& shared);

// Runs the body in as many threads as the workload has in a process, and returns when all have
// ended. If one throws, all are told to stop, and the first exception is thrown.
void in_all_threads(const worker_task& task, board& shared,
                    const std::function<void(unsigned thread)>& body);

[[nodiscard]] std::size_t seat_of(const worker_task& task, unsigned thread);
[[nodiscard]] std::string holder_name(std::size_t seat_number);

// For a number that only one thread writes, so it needs no atomic increment.
inline void count(std::atomic<std::uint64_t>& number)
{
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace pawl::bench
