// The work of the demo: processes that add 1 to a number in a file, by reading it, pausing, and
// writing it back.
#pragma once

#include "news.h"

#include <pawl/pawl.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

namespace demo {

using namespace std::chrono_literals;

inline constexpr int workers = 5;
inline constexpr int rounds = 25;
inline constexpr int all_rounds = workers * rounds;
inline constexpr auto between_read_and_write = 40ms;

// A number in a file. The file is never truncated: a reader always sees a number that a worker
// wrote. So updates are lost only because of the missing lock.
class counter {
public:
    explicit counter(std::string path) : path_{std::move(path)}
    {
        std::ofstream{path_} << std::setw(width) << 0 << '\n';
    }

    [[nodiscard]] long read() const
    {
        long value = 0;
        std::ifstream{path_} >> value;
        return value;
    }

    void write(long value) const
    {
        std::fstream{path_, std::ios::in | std::ios::out} << std::setw(width) << value << '\n';
    }

private:
    static constexpr int width = 12;

    std::string path_;
};

// One addition: the critical section.
inline void add_one(const counter& number, const news_pipe& pipe, int worker, std::uint64_t fence)
{
    const long value = number.read();
    pipe.tell({.worker = worker, .what = step::inside, .value = value, .fence = fence});
    std::this_thread::sleep_for(between_read_and_write);
    number.write(value + 1);
    pipe.tell({.worker = worker, .what = step::wrote, .value = value + 1, .fence = fence});
}

// What a worker does between two additions.
inline void do_something_else()
{
    thread_local std::minstd_rand chance{std::random_device{}()};
    std::this_thread::sleep_for(std::uniform_int_distribution{20, 60}(chance) * 1ms);
}

inline int count_without_a_lock(int worker, const counter& number, const news_pipe& pipe)
{
    for (int round = 0; round < rounds; ++round) {
        add_one(number, pipe, worker, 0);
        do_something_else();
    }
    return 0;
}

// Acquires the lock, or throws: a demo must not hang.
[[nodiscard]] inline pawl::hold take(pawl::mutex& lock)
{
    std::optional<pawl::hold> held = lock.try_acquire_for(30s);
    if (!held) throw std::runtime_error{"a worker did not get the lock in time"};
    return std::move(*held);
}

inline int count_under_a_lock(int worker, const counter& number, const news_pipe& pipe,
                              const std::string& url)
{
    pawl::client client{url};
    pawl::mutex lock{client, "demo:counter", {.lease = 5s}};
    for (int round = 0; round < rounds; ++round) {
        pipe.tell({.worker = worker, .what = step::waits});
        {
            const pawl::hold held = take(lock);
            add_one(number, pipe, worker, held.fence());
        }
        do_something_else();
    }
    return 0;
}

}  // namespace demo
