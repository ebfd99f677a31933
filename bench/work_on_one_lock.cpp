#include "work.h"

#include <memory>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

// One acquire and release after another, until the end of the round.
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
        if (shared_.inside.fetch_add(1) >= what_.holders) shared_.violations.fetch_add(1);
        count(mine_.grants);
        if (what_.timed) note(mine_.wait, held - asked);
        if (what_.holders == 1) note_hand_off(held);
    }

    void note_hand_off(std::int64_t held)
    {
        const bool changed = shared_.last_holder.load(std::memory_order_relaxed) != self_;
        shared_.last_holder.store(self_, std::memory_order_relaxed);
        if (changed) count(mine_.hand_offs);
        if (!what_.timed) return;
        const std::int64_t unlocked = shared_.unlocked_at.load(std::memory_order_relaxed);
        if (changed && unlocked != 0) note(mine_.hand_off, held - unlocked);
    }

    void leave()
    {
        shared_.inside.fetch_sub(1);
        if (what_.timed && what_.holders == 1)
            shared_.unlocked_at.store(now_ns(), std::memory_order_relaxed);
    }

    board& shared_;
    seat& mine_;
    std::uint32_t self_;
    const workload& what_;
};

}  // namespace

void cycle_on_one_lock(const worker_task& task, board& shared)
{
    const auto make = [&](unsigned thread) {
        return make_lock(task.kind, task.url, contended_name, holder_name(seat_of(task, thread)));
    };
    const std::unique_ptr<lock> common = is_shared_by_threads(task.kind) ? make(0) : nullptr;
    in_all_threads(task, shared, [&](unsigned thread) {
        const std::unique_ptr<lock> own = common ? nullptr : make(thread);
        lock& contended = common ? *common : *own;
        use_once(contended);
        start_together(shared);
        cycler{shared, seat_of(task, thread), *task.what}.run(contended);
    });
}

}  // namespace pawl::bench
