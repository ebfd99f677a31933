#include "raw_connection.h"
#include "work.h"

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

// Two processes that take turns: the owner uses the lock and is idle, then the taker asks for it.
class take_over {
public:
    take_over(const worker_task& task, board& shared)
        : task_{task}, shared_{shared}, mine_{shared.seats.at(task.index)}
    {
    }

    void run()
    {
        const bool owns = task_.index == owner;
        // Only the owner lingers. The lock is free when the taker has released it, and the owner
        // begins again.
        const auto contended = make_lock(owns ? task_.kind : contender::mutex, task_.url,
                                         contended_name, holder_name(task_.index));
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

    // False if the round is over.
    [[nodiscard]] bool await_turn(std::uint32_t whose) const
    {
        await(longest_turn, idle,
              [&] { return shared_.stop.load() != 0 || shared_.turn.load() == whose; });
        return shared_.stop.load() == 0;
    }

    // Both begin after the same idle time, because a sleeping core needs time to wake up.
    void take(lock& contended, raw_connection& connection)
    {
        static const std::string ping = request({"PING"});
        std::this_thread::sleep_for(idle);
        const std::int64_t sent = now_ns();
        connection.ask(ping);
        note(mine_.round_trip, now_ns() - sent);

        std::this_thread::sleep_for(idle);
        const std::int64_t asked = now_ns();
        contended.acquire();
        note(mine_.wait, now_ns() - asked);
        mine_.grants.fetch_add(1);
        contended.release();
    }

    const worker_task& task_;
    board& shared_;
    seat& mine_;
};

}  // namespace

void take_over_and_back(const worker_task& task, board& shared)
{
    take_over{task, shared}.run();
}

}  // namespace pawl::bench
