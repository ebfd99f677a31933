// Everything at once, as fast as possible, for a while: nothing may fail, and nothing may grow.
// Every run of the tests does this for three seconds. `./dev soak SECONDS` does it for longer.
#include "integration/fixture.h"
#include "support/async_calls.h"
#include "support/sanitized.h"
#include "support/self_counts.h"

#include <pawl/fair_mutex.h>
#include <pawl/recursive_mutex.h>

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Set by `./dev soak`.
const char* asked_seconds()
{
    return std::getenv("PAWL_SOAK_SECONDS");
}

std::chrono::seconds how_long()
{
    const char* const asked = asked_seconds();
    return asked != nullptr ? std::chrono::seconds{std::stol(asked)} : 3s;
}

// The values that must not grow.
struct sample {
    std::size_t memory;  // allocated and not freed
    std::size_t descriptors;
    std::size_t keys;
};

// The maximum in a part of the run.
sample most_of(const std::vector<sample>& all, std::size_t begin, std::size_t end)
{
    sample most{};
    for (std::size_t i = begin; i < end; ++i) {
        most.memory = std::max(most.memory, all[i].memory);
        most.descriptors = std::max(most.descriptors, all[i].descriptors);
        most.keys = std::max(most.keys, all[i].keys);
    }
    return most;
}

// Cycles of asynchronous calls that start the next one by themselves, some cancelled, some with a
// limit, until they are told to end.
class cycles {
public:
    cycles(client& client, unsigned names)
    {
        for (unsigned i = 0; i < names; ++i) {
            locks_.push_back(std::make_unique<mutex>(client, "async:" + std::to_string(i)));
        }
    }

    void start(unsigned count)
    {
        under_way_ = count;
        for (unsigned i = 0; i < count; ++i) next(i);
    }

    void end()
    {
        ending_ = true;
        std::unique_lock guard{mutex_};
        all_ended_.wait(guard, [this] { return under_way_ == 0; });
    }

    [[nodiscard]] std::uint64_t granted() const noexcept { return granted_; }
    // How many calls ended in a way that is not allowed.
    [[nodiscard]] std::uint64_t unexpected() const noexcept { return unexpected_; }

private:
    void acquired(unsigned seed, hold got)
    {
        ++granted_;
        if (seed % 3 != 0) {
            const auto then = [this, seed](std::error_code ec, std::string_view message) {
                if (ec) count_unexpected("release", message);
                next(seed);
            };
            async::release(std::move(got), when_done(then));
        } else {
            got = hold{};  // is released in the background
            next(seed);
        }
    }

    void not_acquired(unsigned seed, bool limited, std::error_code ec, std::string_view message)
    {
        // With a limit, the server has only 100 ms to answer, and this machine is busy.
        const bool expected = ec == errc::busy || ec == errc::timed_out || ec == errc::cancelled ||
                              (limited && ec == errc::unreachable);
        if (!expected) count_unexpected("acquire", message);
        next(seed);
    }

    void count_unexpected(const char* call, std::string_view message) noexcept
    {
        // Prints the first few problems.
        if (++unexpected_ <= 5) std::cerr << call << ": " << message << '\n';
    }

    void next(unsigned seed) noexcept
    {
        if (ending_) {
            const std::scoped_lock guard{mutex_};
            if (--under_way_ == 0) all_ended_.notify_all();
            return;
        }
        seed = seed * 1'103'515'245U + 12'345U;
        const unsigned die = seed >> 16U;
        std::stop_source stop;
        const auto limit = die % 4 == 0   ? time_limit::now()
                           : die % 4 == 1 ? time_limit::after(5ms)
                                          : time_limit::never();
        const auto then = [this, seed, limited = !limit.is_never(), stop](
                              hold got, std::error_code ec, std::string_view message) {
            if (ec) {
                not_acquired(seed, limited, ec, message);
            } else {
                acquired(seed, std::move(got));
            }
        };
        async::acquire(*locks_[die % locks_.size()], limit, when_acquired(then), stop.get_token());
        if (die % 5 == 0) stop.request_stop();
    }

    std::vector<std::unique_ptr<mutex>> locks_;
    std::atomic<std::uint64_t> granted_ = 0;
    std::atomic<std::uint64_t> unexpected_ = 0;
    std::atomic<bool> ending_ = false;
    std::mutex mutex_;
    std::condition_variable all_ended_;
    std::atomic<unsigned> under_way_ = 0;
};

class soak : public with_server {
protected:
    [[nodiscard]] sample now()
    {
        const auto keys = probe_.must({"DBSIZE"}).integer;
        return {.memory = mallinfo2().uordblks + mallinfo2().hblkhd,
                .descriptors = descriptor_count(),
                .keys = static_cast<std::size_t>(keys)};
    }

    // Threads that repeat this until `threads_` is cleared.
    void repeat(unsigned threads, const std::function<void(unsigned)>& what)
    {
        for (unsigned t = 0; t < threads; ++t) {
            threads_.emplace_back([this, what](const std::stop_token& stop) {
                unsigned i = 0;
                while (!stop.stop_requested()) {
                    what(i++);
                    ++cycles_;
                }
            });
        }
    }

    std::atomic<std::uint64_t> cycles_ = 0;
    std::vector<std::jthread> threads_;
};

TEST_F(soak, with_everything_at_once_lets_nothing_grow)
{
    client first{server_.unix_url()};
    client second{server_.url()};
    std::vector<std::unique_ptr<mutex>> many;
    for (int i = 0; i < 100; ++i) {
        many.push_back(std::make_unique<mutex>(first, "many:" + std::to_string(i)));
    }
    mutex shared{first, "shared"};
    mutex shared_elsewhere{second, "shared"};
    fair_mutex fair{first, "fair"};
    fair_mutex fair_elsewhere{second, "fair"};
    recursive_mutex again{first, "again"};
    mutex lingering{first, "lingering", {.linger = 50ms}};
    mutex lingering_elsewhere{second, "lingering"};
    cycles asynchronous{first, 32};

    repeat(2, [&](unsigned i) { const std::scoped_lock held{*many[i % many.size()]}; });
    repeat(2, [&](unsigned) { const std::scoped_lock held{shared}; });
    repeat(1, [&](unsigned) { static_cast<void>(shared_elsewhere.try_acquire_for(20ms)); });
    repeat(1, [&](unsigned) { const std::scoped_lock held{fair}; });
    repeat(1, [&](unsigned) { const std::scoped_lock held{fair_elsewhere}; });
    repeat(1, [&](unsigned) {
        const std::scoped_lock outer{again};
        const std::scoped_lock inner{again};
    });
    repeat(1, [&](unsigned) { const std::scoped_lock held{lingering}; });
    repeat(1, [&](unsigned) {
        const std::scoped_lock held{lingering_elsewhere};
        std::this_thread::sleep_for(10ms);
    });
    repeat(1, [&](unsigned) {
        client passing{server_.unix_url()};
        mutex lock{passing, "passing"};
        const std::scoped_lock held{lock};
    });
    asynchronous.start(64);

    std::vector<sample> all;
    const auto end = steady_clock::now() + how_long();
    const auto pause = std::max<std::chrono::milliseconds>(how_long() / 200, 20ms);
    while (steady_clock::now() < end) {
        std::this_thread::sleep_for(pause);
        all.push_back(now());
    }
    for (auto& each : threads_) each.request_stop();
    threads_.clear();
    asynchronous.end();

    EXPECT_EQ(asynchronous.unexpected(), 0U);
    EXPECT_GT(asynchronous.granted(), 0U);
    ASSERT_GE(all.size(), 8U);  // so that each part has two
    const auto before = most_of(all, all.size() / 4, all.size() / 2);
    const auto after = most_of(all, all.size() * 3 / 4, all.size());
    std::cout << cycles_ << " blocking cycles, " << asynchronous.granted()
              << " asynchronous grants; memory " << before.memory / 1024 << " → "
              << after.memory / 1024 << " KiB, descriptors " << before.descriptors << " → "
              << after.descriptors << ", keys " << before.keys << " → " << after.keys << '\n';
    // The number of threads varies, and so does what they do at the same time. This difference is
    // allowed. Memory is only checked in a long run.
    if (!sanitized && asked_seconds() != nullptr) {
        EXPECT_LE(after.memory, before.memory + before.memory / 10 + (256U << 10U));
    }
    EXPECT_LE(after.descriptors, before.descriptors + 8);
    EXPECT_LE(after.keys, before.keys + 40);
}

}  // namespace
}  // namespace pawl::test
