// W9: what a client needs when it holds more and more locks, or waits for more and more of them.
// Each size is measured once, in a separate process: memory does not vary from run to run.
#pragma once

#include "comparison.h"

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

enum class growth_kind {
    held,         // this many locks are held
    waiting,      // this many locks are waited for, which another client holds
    waiting_one,  // this many callers wait for one lock
};

[[nodiscard]] std::string_view word_of(growth_kind what) noexcept;

// The task of one process.
struct growth_task {
    growth_kind what{};
    std::size_t count = 1;
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds slice{100};  // ten of these for the cycles that run at the same time
    std::string url;
};

// The results. All bytes are per lock or waiter, without what the process had before.
struct growth_point {
    std::size_t count = 0;
    double per_second = unknown;  // how fast they were acquired
    // Without the pawl::mutex, which may be destroyed while the lock is held.
    double resident_bytes = unknown;
    double allocated_bytes = unknown;
    double with_mutex_bytes = unknown;  // allocated, with it
    double commands = unknown;          // in a third of the lease: in that time each is renewed,
    double replies = unknown;           // or looks again; replies in one write count once
    double server_us = unknown;
    double cycle_us = unknown;      // p50 of a free lock at the same time
    double cycle_p99_us = unknown;  // and p99
    // Its cost divided by that of a raw socket with the same commands.
    double cycle_times = unknown;
    std::string failure{};
};

struct growth {
    growth_kind what{};
    std::chrono::milliseconds period{};
    std::vector<growth_point> points{};
};

// As words of a command line. The program passes the words after `growth` to grow().
[[nodiscard]] std::vector<std::string> command_line(const growth_task& task);
[[nodiscard]] growth_task growth_task_of(const std::vector<std::string>& words);

// In a separate process: measures, and prints the point as JSON.
void grow(const growth_task& task);

// Up to a million locks and 100,000 waiters, `quick` up to 10,000. The server is emptied before
// each.
[[nodiscard]] std::vector<growth> measure_growth(const std::string& url, bool quick,
                                                 const progress& tell);

}  // namespace pawl::bench
