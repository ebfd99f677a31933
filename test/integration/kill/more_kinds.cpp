// A condition, several locks at once, a leader, and a job that runs once per period, under kill -9.
#include "integration/kill/worker.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace pawl::test::kill {
namespace {

constexpr std::uint64_t alone = 1;

// Threads put items into a queue, or wait for one.
class condition_under_kill final : public kind {
public:
    explicit condition_under_kill(const setting& with)
        : items_{with.all.started.front()},
          lock_{with.own, "jobs", setting::options()},
          more_{lock_, "more"}
    {
    }

    void turn(worker& by) override
    {
        if (by.dice(2) == 0) {
            const counted me{takers_};
            if (me.number <= most_takers) return take_item(by);
        }
        put_item(by);
    }

    void enter_alone() override
    {
        auto held = lock_.try_acquire_for(longest_wait);
        if (!held) throw std::runtime_error{"nobody can lock"};
        more_.wait_for(*held, 10ms);
        if (held->valid_for() == 0ns) throw std::runtime_error{"not locked after the wait"};
    }

private:
    // Of each process. The other threads go on notifying, so nobody waits for long.
    static constexpr int most_takers = 2;

    struct counted {
        explicit counted(std::atomic<int>& everyone) : all{everyone}, number{++everyone} {}
        ~counted() { --all; }
        counted(const counted&) = delete;
        counted& operator=(const counted&) = delete;

        std::atomic<int>& all;
        int number;
    };

    void put_item(worker& by)
    {
        hold held = by.acquire(lock_);
        by.check_fence(held);
        by.go_inside(held, alone, no_bit_twice);
        ++items_;
        held.release();
        more_.notify_one();
    }

    void take_item(worker& by)
    {
        hold held = by.acquire(lock_);
        by.check_fence(held);
        const bool found =
            more_.wait_for(held, by.stop(), longest_wait, [&] { return items_ > 0; });
        by.go_inside(held, alone, no_bit_twice);
        if (found) {
            --items_;
        } else if (!by.stop().stop_requested()) {
            throw std::runtime_error{"a waiter was never notified"};
        }
    }

    std::atomic<int> takers_ = 0;
    std::atomic<std::uint32_t>& items_;
    mutex lock_;
    condition_variable more_;
};

const registered_kind with_condition{"condition_variable", [](const setting& with) {
                                         return std::make_unique<condition_under_kill>(with);
                                     }};

// Each turn takes two of four locks, in any order.
class lock_set_under_kill final : public kind {
public:
    explicit lock_set_under_kill(const setting& with) : own_{with.own} {}

    void turn(worker& by) override
    {
        const unsigned one = by.dice(count);
        const unsigned other = (one + 1 + by.dice(count - 1)) % count;
        lock_set both{own_, {name(one), name(other)}, setting::options()};
        const hold held = by.acquire(both);
        by.go_inside(held, bit(one) | bit(other), no_bit_twice);
    }

    void enter_alone() override
    {
        lock_set all{own_, {name(0), name(1), name(2), name(3)}, setting::options()};
        if (!all.try_acquire_for(longest_wait)) throw std::runtime_error{"not all are free"};
    }

private:
    static constexpr unsigned count = 4;

    static std::string name(unsigned number) { return "account:" + std::to_string(number); }
    static std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }

    client& own_;
};

const registered_kind with_lock_set{
    "lock_set", [](const setting& with) { return std::make_unique<lock_set_under_kill>(with); }};

class leader_under_kill final : public kind {
public:
    explicit leader_under_kill(const setting& with)
        : primary_{with.own, "primary", setting::options()}
    {
    }

    void turn(worker& by) override
    {
        leader::candidacy me = primary_.candidate("10.0.0.7:80");
        const hold held = by.acquire(me);
        by.check_fence(held);
        by.go_inside(held, alone, no_bit_twice);
    }

    void enter_alone() override
    {
        if (!primary_.try_campaign_for("10.0.0.8:80", longest_wait)) {
            throw std::runtime_error{"nobody can lead"};
        }
    }

private:
    leader primary_;
};

const registered_kind with_leader{
    "leader", [](const setting& with) { return std::make_unique<leader_under_kill>(with); }};

class once_per_under_kill final : public kind {
public:
    explicit once_per_under_kill(const setting& with)
        : all_{with.all}, report_{with.own, "report", period, {}, setting::options()}
    {
    }

    void turn(worker& by) override
    {
        std::size_t nobody = 0;
        all_.round.compare_exchange_strong(nobody, static_cast<std::size_t>(now_ns()));
        const std::optional<once_per::turn> mine = report_.try_begin(by.stop());
        if (!mine) return by.idle();
        check_number_of_runs();
        by.check_fence(mine->held());
        by.go_inside(mine->held(), alone, no_bit_twice);
    }

    void enter_alone() override
    {
        const auto end = std::chrono::steady_clock::now() + longest_wait;
        while (!report_.try_begin()) {
            if (std::chrono::steady_clock::now() > end) throw std::runtime_error{"no run begins"};
            std::this_thread::sleep_for(5ms);
        }
    }

private:
    static constexpr std::chrono::milliseconds period{20};

    // No run began before the first try. The server counts whole milliseconds, so there may be one
    // run more in the end.
    void check_number_of_runs()
    {
        const auto since = static_cast<std::size_t>(now_ns()) - all_.round.load();
        const auto periods = std::chrono::nanoseconds{since} / period;
        const auto runs = ++all_.started.front();
        if (runs > periods + 2) {
            throw std::runtime_error{std::to_string(runs) + " runs in " + std::to_string(periods) +
                                     " periods"};
        }
    }

    arena& all_;  // `round` is when the first try began, and `started` counts the runs
    once_per report_;
};

const registered_kind with_once_per{
    "once_per", [](const setting& with) { return std::make_unique<once_per_under_kill>(with); }};

}  // namespace
}  // namespace pawl::test::kill
