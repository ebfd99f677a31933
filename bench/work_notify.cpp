#include "monitor.h"
#include "work.h"

#include <memory>

namespace pawl::bench {
namespace {

// Waits until it is the turn of this process, and gives it to the other one.
class notifier {
public:
    notifier(const worker_task& task, board& shared)
        : shared_{shared}, mine_{shared.seats.at(task.index)}, self_{task.index}
    {
    }

    void run(monitor& between)
    {
        between.lock();
        while (take_turn(between)) {
        }
        between.unlock();
    }

private:
    // False if the round is over. The other process then finds that out in its own turn.
    bool take_turn(monitor& between)
    {
        while (shared_.turn.load() != self_) between.wait();
        const std::int64_t held = now_ns();
        if (shared_.inside.fetch_add(1) != 0) shared_.violations.fetch_add(1);
        count(mine_.grants);
        count(mine_.hand_offs);
        if (const auto notified = shared_.unlocked_at.load(); notified != 0) {
            note(mine_.hand_off, held - notified);
        }
        const bool goes_on = shared_.stop.load() == 0;
        shared_.turn.store(1 - self_);
        shared_.inside.fetch_sub(1);
        shared_.unlocked_at.store(now_ns());
        between.notify();
        return goes_on;
    }

    board& shared_;
    seat& mine_;
    std::uint32_t self_;
};

}  // namespace

void notify_each_other(const worker_task& task, board& shared)
{
    const auto between = make_monitor(task.kind, task.url, contended_name, holder_name(task.index));
    between->lock();
    between->unlock();
    start_together(shared);
    notifier{task, shared}.run(*between);
}

}  // namespace pawl::bench
