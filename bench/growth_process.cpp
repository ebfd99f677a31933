// The part of W9 that runs in a separate process.
#include "async_calls.h"
#include "board.h"
#include "cycle_dialogues.h"
#include "free_locks.h"
#include "growth.h"
#include "memory_use.h"
#include "metric.h"
#include "server_counts.h"

#include <pawl/pawl.h>

#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// In the form of pawl's holder ids: while another library has a lock, its waiters ask again and again.
constexpr std::string_view other_holder = "p0000000000000000000000000000000";

double seconds_since(clock::time_point began)
{
    return std::chrono::duration<double>(clock::now() - began).count();
}

// Limits the number of calls that are under way.
class gate {
public:
    explicit gate(std::size_t most) : free_{most}, most_{most} {}

    void enter()
    {
        std::unique_lock guard{mutex_};
        if (!changed_.wait_for(guard, longest, [this] { return free_ > 0; })) give_up();
        --free_;
    }

    void leave(std::error_code ec)
    {
        const std::scoped_lock guard{mutex_};
        if (ec && !problem_) problem_ = ec;
        ++free_;
        changed_.notify_all();
    }

    // Returns when no call is under way. Throws if a call has failed.
    void await_all()
    {
        std::unique_lock guard{mutex_};
        if (!changed_.wait_for(guard, longest, [this] { return free_ == most_; })) give_up();
        if (problem_) throw std::system_error{problem_, "an asynchronous call"};
    }

private:
    static constexpr auto longest = 60s;
    [[noreturn]] static void give_up() { throw std::runtime_error{"nothing happened for 60 s"}; }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t free_;
    std::size_t most_;
    std::error_code problem_;
};

class growing {
public:
    explicit growing(const growth_task& task)
        : task_{task},
          client_{task.url},
          server_{task.url},
          said_{dialogue_of_pawl(task.url)},
          cycles_{client_, 0},
          raw_cycles_{task.url, said_, 1}
    {
        point_.count = task.count;
    }

    growth_point run()
    {
        warm_up();
        before_ = look_at_memory();
        if (task_.what == growth_kind::held) {
            hold_them();
        } else {
            wait_for_them();
        }
        measure_memory();
        measure_period();
        measure_cycles();
        return point_;
    }

private:
    [[nodiscard]] lock_options options() const { return {.lease = task_.lease}; }

    // Creates everything that is created once. Also learns which commands clients send by
    // themselves: a few locks are renewed, and a waiter waits for long enough to look again.
    void warm_up()
    {
        constexpr std::size_t few = 10;
        constexpr std::chrono::milliseconds short_lease = 1500ms;
        for (std::size_t i = 0; i < locks_per_thread; ++i) cycles_.cycle();
        std::vector<hold> held;
        for (std::size_t i = 0; i < few; ++i) {
            mutex lock{client_, "few:" + std::to_string(i), {.lease = short_lease}};
            held.push_back(lock.acquire());
        }
        raw_connection other{task_.url};
        other.ask(request({"SET", "theirs", other_holder, "PX", "700"}));
        mutex theirs{client_, "theirs", {.lease = short_lease}};
        const auto granted = std::make_shared<std::atomic<bool>>(false);
        acquire_then(theirs, time_limit::never(),
                     [granted](hold, std::error_code) { granted->store(true); });
        const auto end = clock::now() + 10s;
        sent_ = server_.listen([&] { return granted->load() || clock::now() > end; });
    }

    [[nodiscard]] std::string name_of(std::size_t number) const
    {
        return free_lock_name(2, task_.what == growth_kind::waiting_one ? 0 : number);
    }

    void hold_them()
    {
        constexpr std::size_t under_way = 256;
        holds_.resize(task_.count);
        locks_.reserve(task_.count);
        gate calls{under_way};
        const auto began = clock::now();
        for (std::size_t i = 0; i < task_.count; ++i) {
            locks_.push_back(std::make_unique<mutex>(client_, name_of(i), options()));
            calls.enter();
            acquire_then(*locks_.back(), time_limit::never(),
                         [this, i, &calls](hold got, std::error_code ec) {
                             holds_[i] = std::move(got);
                             calls.leave(ec);
                         });
        }
        calls.await_all();
        point_.per_second = static_cast<double>(task_.count) / seconds_since(began);
    }

    // In batches: otherwise a client would keep the buffers of its busiest moment.
    void wait_for_them()
    {
        constexpr std::size_t batch = 1000;
        take_as_other_holder();
        locks_.reserve(task_.count);
        for (std::size_t i = 0; i < task_.count; ++i) {
            locks_.push_back(std::make_unique<mutex>(client_, name_of(i), options()));
            acquire_then(*locks_.back(), time_limit::never(), [](hold, std::error_code) {});
            if (i % batch == batch - 1) await_silence(20ms);
        }
        await_silence(300ms);
    }

    void take_as_other_holder()
    {
        raw_connection other{task_.url};
        const std::size_t count = task_.what == growth_kind::waiting_one ? 1 : task_.count;
        for (std::size_t i = 0; i < count; ++i) {
            other.ask(request({"SET", name_of(i), other_holder, "PX", "3600000"}));
        }
    }

    // Returns when the server has had nothing to do for this time.
    void await_silence(std::chrono::milliseconds how_long)
    {
        const auto end = clock::now() + 120s;
        for (double before = -1; clock::now() < end;) {
            const double now = server_.load(sent_).commands;
            if (now == before) return;
            before = now;
            std::this_thread::sleep_for(how_long);
        }
        throw std::runtime_error{"the waiters do not become idle"};
    }

    void measure_memory()
    {
        const auto each = [this](double bytes) { return bytes / static_cast<double>(task_.count); };
        point_.with_mutex_bytes = each(look_at_memory().allocated - before_.allocated);
        locks_ = std::vector<std::unique_ptr<mutex>>{};
        const memory_use now = look_at_memory();
        point_.allocated_bytes = each(now.allocated - before_.allocated);
        point_.resident_bytes = each(now.resident - before_.resident);
    }

    void measure_period()
    {
        server_.reset();
        std::this_thread::sleep_for(task_.lease / 3);
        const server_load load = server_.load(sent_);
        point_.commands = load.commands;
        point_.replies = load.replies;
        point_.server_us = load.us;
    }

    // Alternates with a raw socket: the server has more work too, and that must not be counted as
    // the client's.
    void measure_cycles()
    {
        constexpr int slices = 10;
        histogram own{};
        std::vector<double> ratios;
        for (int i = 0; i < slices; ++i) {
            const double pawl = run_slice(cycles_, &own);
            ratios.push_back(pawl / run_slice(raw_cycles_, nullptr));
        }
        point_.cycle_us = in_us(own.quantile(0.5));
        point_.cycle_p99_us = in_us(own.quantile(0.99));
        if (const auto found = summarize(std::move(ratios))) point_.cycle_times = found->median;
    }

    // Returns how long a cycle took.
    double run_slice(free_locks& locks, histogram* durations) const
    {
        const auto began = clock::now();
        double cycles = 0;
        for (auto last = began; last < began + task_.slice; ++cycles) {
            locks.cycle();
            const auto now = clock::now();
            if (durations != nullptr) durations->add(now - last);
            last = now;
        }
        return seconds_since(began) / cycles;
    }

    const growth_task& task_;
    client client_;
    server_counts server_;
    sent_by_clients sent_;
    dialogue said_;
    pawl_free_locks cycles_;
    spoken_free_locks raw_cycles_;
    std::vector<hold> holds_;
    std::vector<std::unique_ptr<mutex>> locks_;
    memory_use before_;
    growth_point point_;
};

}  // namespace

void grow(const growth_task& task)
{
    growing all{task};
    const growth_point found = all.run();
    const nlohmann::ordered_json data{{"count", found.count},
                                      {"per_second", found.per_second},
                                      {"resident_bytes", found.resident_bytes},
                                      {"allocated_bytes", found.allocated_bytes},
                                      {"with_mutex_bytes", found.with_mutex_bytes},
                                      {"commands", found.commands},
                                      {"replies", found.replies},
                                      {"server_us", found.server_us},
                                      {"cycle_us", found.cycle_us},
                                      {"cycle_p99_us", found.cycle_p99_us},
                                      {"cycle_times", found.cycle_times}};
    std::cout << data.dump() << std::endl;
    ::_exit(0);  // does not wait until a million locks are released
}

}  // namespace pawl::bench
