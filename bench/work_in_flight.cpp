#include "async_calls.h"
#include "cycle_dialogues.h"
#include "pawl_in_flight.h"
#include "spoken_in_flight.h"
#include "work.h"

#include <future>
#include <memory>
#include <system_error>

namespace pawl::bench {
namespace {

void async_cycle(mutex& what)
{
    const auto ended = std::make_shared<std::promise<std::error_code>>();
    acquire_then(what, time_limit::never(), [ended](hold held, std::error_code ec) {
        if (ec) return ended->set_value(ec);
        release_then(std::move(held),
                     [ended](std::error_code result) { ended->set_value(result); });
    });
    const std::error_code ec = ended->get_future().get();
    if (ec) throw std::system_error{ec, "an asynchronous call"};
}

// Warms up until about each place has used each of its locks.
template <class Cycles>
void use_all(Cycles& cycles, seat& mine)
{
    constexpr std::size_t each = 4;
    cycles.run([&] { return mine.grants.load() >= cycles_in_flight * each; });
    mine.grants.store(0);
    mine.cycle = {};
}

template <class Cycles>
void warm_up_and_run(Cycles& cycles, seat& mine, board& shared)
{
    use_all(cycles, mine);
    start_together(shared);
    cycles.run([&] { return shared.stop.load(std::memory_order_relaxed) != 0; });
}

}  // namespace

void cycle_in_flight(const worker_task& task, board& shared)
{
    seat& mine = shared.seats.at(task.index);
    in_flight_locks locks{.announce = task.kind != contender::mutex_unannounced};
    if (task.what->processes > 1) locks.per_place = 1;
    if (task.kind == contender::mutex || task.kind == contender::mutex_unannounced) {
        pawl_in_flight cycles{task.url, mine, locks};
        return warm_up_and_run(cycles, mine, shared);
    }
    dialogue said = least_dialogue(task.url);
    if (task.kind == contender::raw_same) {
        said = dialogue_of_pawl(task.url, async_cycle);
        pawl_in_flight before{task.url, mine,
                              locks};  // so that both find the server in the same state
        use_all(before, mine);
    }
    spoken_in_flight cycles{task.url, said, mine};
    warm_up_and_run(cycles, mine, shared);
}

}  // namespace pawl::bench
