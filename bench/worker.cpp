#include "worker.h"

#include "board.h"
#include "raw_connection.h"

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view lock_name = "pawl-bench";
constexpr auto longest_start = 30s;
constexpr auto longest_turn = 10s;

// Sleeps between looks: spinning would take a core away from those who are measured.
template <class Predicate>
void await(std::chrono::seconds limit, std::chrono::microseconds pause, const Predicate& holds)
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) throw std::runtime_error{"was left alone"};
        std::this_thread::sleep_for(pause);
    }
}

void start_together(board& shared)
{
    shared.ready.fetch_add(1);
    await(longest_start, 100us, [&] { return shared.go.load() != 0; });
}

std::string holder_name(std::size_t seat_number)
{
    return "holder" + std::to_string(seat_number);
}

// One acquire and release after the other, until told to stop.
class cycler {
public:
    cycler(board& shared, std::size_t seat_number, const workload& what)
        : shared_{shared},
          mine_{shared.seats.at(seat_number)},
          self_{static_cast<std::uint32_t>(seat_number + 1)},
          what_{what}
    {
    }

    void run(lock& contended)
    {
        while (shared_.stop.load(std::memory_order_relaxed) == 0) {
            const std::int64_t asked = what_.timed ? now_ns() : 0;
            contended.acquire();
            enter(asked);
            if (what_.hold > 0us) std::this_thread::sleep_for(what_.hold);
            leave();
            contended.release();
            if (what_.alternates) await_another_holder();
        }
    }

private:
    void await_another_holder() const
    {
        await(longest_turn, 100us,
              [&] { return shared_.stop.load() != 0 || shared_.last_holder.load() != self_; });
    }

    void enter(std::int64_t asked)
    {
        const std::int64_t held = what_.timed ? now_ns() : 0;
        if (shared_.inside.fetch_add(1) != 0) shared_.violations.fetch_add(1);
        const bool changed = shared_.last_holder.load(std::memory_order_relaxed) != self_;
        shared_.last_holder.store(self_, std::memory_order_relaxed);
        count(mine_.grants);
        if (changed) count(mine_.hand_offs);
        if (!what_.timed) return;
        mine_.wait.add(held - asked);
        const std::int64_t unlocked = shared_.unlocked_at.load(std::memory_order_relaxed);
        if (changed && unlocked != 0) mine_.hand_off.add(held - unlocked);
    }

    void leave()
    {
        shared_.inside.fetch_sub(1);
        if (what_.timed) shared_.unlocked_at.store(now_ns(), std::memory_order_relaxed);
    }

    // Nobody else writes it, so nothing needs to be locked on the bus.
    static void count(std::atomic<std::uint64_t>& number)
    {
        number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    board& shared_;
    seat& mine_;
    std::uint32_t self_;
    const workload& what_;
};

// Also done before the clock runs: connections are made and scripts are loaded then.
void use_once(lock& contended)
{
    contended.acquire();
    contended.release();
}

// What the threads of this process have in common. The first problem is kept.
class cycling_threads {
public:
    cycling_threads(const worker_task& task, board& shared) : task_{task}, shared_{shared}
    {
        if (is_shared_by_threads(task.kind)) common_ = make(0);
    }

    void run()
    {
        std::vector<std::jthread> threads;
        for (unsigned thread = 1; thread < task_.what->threads; ++thread) {
            threads.emplace_back([this, thread] { guarded(thread); });
        }
        guarded(0);
        threads.clear();
        if (problem_) std::rethrow_exception(problem_);
    }

private:
    [[nodiscard]] std::size_t seat_of(unsigned thread) const
    {
        return std::size_t{task_.index} * task_.what->threads + thread;
    }

    [[nodiscard]] std::unique_ptr<lock> make(unsigned thread) const
    {
        return make_lock(task_.kind, task_.url, lock_name, holder_name(seat_of(thread)));
    }

    void guarded(unsigned thread) noexcept
    {
        try {
            const std::unique_ptr<lock> own = common_ ? nullptr : make(thread);
            lock& contended = common_ ? *common_ : *own;
            use_once(contended);
            start_together(shared_);
            cycler{shared_, seat_of(thread), *task_.what}.run(contended);
        } catch (...) {
            const std::scoped_lock guard{problem_mutex_};
            if (!problem_) problem_ = std::current_exception();
            shared_.stop.store(1);
        }
    }

    const worker_task& task_;
    board& shared_;
    std::unique_ptr<lock> common_;
    std::mutex problem_mutex_;
    std::exception_ptr problem_;
};

// Two processes that take turns: the owner uses the lock and idles, the taker asks for it.
class take_over {
public:
    take_over(const worker_task& task, board& shared)
        : task_{task}, shared_{shared}, mine_{shared.seats.at(task.index)}
    {
    }

    void run()
    {
        const bool owns = task_.index == owner;
        // Only the owner lingers: what the taker gives back is free, and the owner begins anew.
        const auto contended = make_lock(owns ? task_.kind : contender::mutex, task_.url, lock_name,
                                         holder_name(task_.index));
        raw_connection connection{task_.url};
        use_once(*contended);
        start_together(shared_);
        while (await_turn(task_.index)) {
            if (owns) {
                use_once(*contended);
            } else {
                take(*contended, connection);
            }
            shared_.turn.store(owns ? taker : owner);
        }
    }

private:
    static constexpr std::uint32_t owner = 0;
    static constexpr std::uint32_t taker = 1;
    static constexpr auto idle = 1ms;

    // False when the round is over.
    [[nodiscard]] bool await_turn(std::uint32_t whose) const
    {
        await(longest_turn, idle,
              [&] { return shared_.stop.load() != 0 || shared_.turn.load() == whose; });
        return shared_.stop.load() == 0;
    }

    // Both after the same idleness, for a core that sleeps takes its time to wake up.
    void take(lock& contended, raw_connection& connection)
    {
        static const std::string ping = request({"PING"});
        std::this_thread::sleep_for(idle);
        const std::int64_t sent = now_ns();
        connection.ask(ping);
        mine_.round_trip.add(now_ns() - sent);

        std::this_thread::sleep_for(idle);
        const std::int64_t asked = now_ns();
        contended.acquire();
        mine_.wait.add(now_ns() - asked);
        mine_.grants.fetch_add(1);
        contended.release();
    }

    const worker_task& task_;
    board& shared_;
    seat& mine_;
};

}  // namespace

std::vector<std::string> command_line(const worker_task& task)
{
    return {std::string{word_of(task.kind)}, std::string{task.what->word},
            std::to_string(task.index), std::to_string(task.board_fd), task.url};
}

void work(const worker_task& task)
{
    const shared_board shared{task.board_fd};
    if (task.what->what == pattern::take_over) {
        take_over{task, *shared}.run();
    } else {
        cycling_threads{task, *shared}.run();
    }
}

}  // namespace pawl::bench
