#include "gate.h"
#include "raw_connection.h"
#include "work.h"

#include <cstdlib>
#include <iostream>
#include <mutex>
#include <utility>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

constexpr unsigned waiters_per_process = 125;

// Returns when the server has had nothing to do for a while. Then all waiters are in the queue.
void await_quiet(raw_connection& connection)
{
    constexpr auto pause = 50ms;
    constexpr std::uint64_t own_and_stray = 3;  // our own INFO, and a keep-alive
    static const std::string ask = request({"INFO", "stats"});
    constexpr std::string_view wanted = "total_commands_processed:";
    const auto commands = [&] {
        const std::string text = connection.ask_text(ask);
        return std::stoull(text.substr(text.find(wanted) + wanted.size()));
    };
    std::uint64_t before = commands();
    await(longest_turn, pause, [&] {
        const std::uint64_t now = commands();
        return now - std::exchange(before, now) <= own_and_stray;
    });
}

// The threads wait for each other, so a thread that fails ends the process.
template <class Body>
void or_end(const Body& body) noexcept
{
    try {
        body();
    } catch (const std::exception& problem) {
        std::cerr << "pawl_bench: " << problem.what() << '\n' << std::flush;
        std::_Exit(1);
    }
}

// A process with many threads that wait for one latch after the other. The first process also opens
// them.
class release_all {
public:
    release_all(const worker_task& task, board& shared)
        : task_{task},
          shared_{shared},
          mine_{shared.seats.at(task.index)},
          all_waiters_{std::uint64_t{task.what->processes} * waiters_per_process},
          gate_{make_gate(task.kind, task.url)},
          connection_{task.url}
    {
    }

    void run()
    {
        start_together(shared_);
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < waiters_per_process; ++i) {
            threads.emplace_back([this] { or_end([this] { wait(); }); });
        }
        or_end([this] { lead(); });
    }

private:
    void wait()
    {
        histogram times{};
        for (std::uint64_t release = 1;; ++release) {
            await_begin(release);
            shared_.waiting.fetch_add(1);
            gate_->wait(release);
            const std::int64_t now = now_ns();
            if (shared_.opened.load() < release) shared_.violations.fetch_add(1);
            note(times, now - shared_.unlocked_at.load());
            raise(shared_.last_return, now);
            mine_.grants.fetch_add(1);
            const bool is_last = shared_.last_release.load() == release;
            shared_.returned.fetch_add(1);
            if (is_last) break;
        }
        const std::scoped_lock guard{mutex_};
        mine_.hand_off.add(times);
    }

    // Nobody waits for the next latch before all have left the last one: those requests would delay
    // the threads that are still to be told.
    void await_begin(std::uint64_t release) const
    {
        for (auto begun = begun_.load(); begun < release; begun = begun_.load()) {
            begun_.wait(begun);
        }
    }

    void lead()
    {
        for (std::uint64_t release = 1;; ++release) {
            begun_.store(release);
            begun_.notify_all();
            if (task_.index == 0) open(release);
            await(longest_turn, 1ms,
                  [&] { return shared_.returned.load() >= release * all_waiters_; });
            if (task_.index == 0) {
                note(mine_.cycle, shared_.last_return.load() - shared_.unlocked_at.load());
            }
            if (shared_.last_release.load() == release) break;
        }
    }

    void open(std::uint64_t release)
    {
        await(longest_turn, 1ms, [&] { return shared_.waiting.load() == release * all_waiters_; });
        await_quiet(connection_);
        if (shared_.stop.load() != 0) shared_.last_release.store(release);
        shared_.opened.store(release);
        shared_.last_return.store(0);
        shared_.unlocked_at.store(now_ns());
        gate_->open(release);
    }

    static void raise(std::atomic<std::int64_t>& greatest, std::int64_t value)
    {
        auto before = greatest.load();
        while (before < value && !greatest.compare_exchange_weak(before, value)) {
        }
    }

    const worker_task& task_;
    board& shared_;
    seat& mine_;
    std::uint64_t all_waiters_;
    std::unique_ptr<gate> gate_;
    raw_connection connection_;
    std::atomic<std::uint64_t> begun_ = 0;  // the release that the threads of this process wait for
    std::mutex mutex_;
};

}  // namespace

void wait_and_be_released(const worker_task& task, board& shared)
{
    release_all{task, shared}.run();
}

}  // namespace pawl::bench
