#include "async_calls.h"
#include "cycle_dialogues.h"
#include "nodes.h"
#include "pawl_in_flight.h"
#include "quorum_dialogues.h"
#include "quorum_locks.h"
#include "spoken_in_flight.h"
#include "work.h"

#include <future>
#include <memory>
#include <optional>
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
void use_all(Cycles& cycles, seat& mine, const in_flight_locks& which)
{
    constexpr std::size_t each = 4;
    cycles.run([&] { return mine.grants.load() >= which.places * each; });
    mine.grants.store(0);
    mine.cycle = {};
}

template <class Cycles>
void warm_up_and_run(Cycles& cycles, seat& mine, board& shared, const in_flight_locks& which)
{
    use_all(cycles, mine, which);
    start_together(shared);
    cycles.run([&] { return shared.stop.load(std::memory_order_relaxed) != 0; });
}

void over_a_majority(const worker_task& task, board& shared, const in_flight_locks& which)
{
    seat& mine = shared.seats.at(task.index);
    const auto nodes = node_urls(task.url);
    const auto said = task.kind == contender::raw_same
                          ? quorum_dialogues_of_pawl(nodes, calls::asynchronous)
                          : least_quorum_dialogues(nodes);
    quorum_in_flight cycles{nodes, said, mine, which};
    warm_up_and_run(cycles, mine, shared, which);
}

}  // namespace

void cycle_in_flight(const worker_task& task, board& shared)
{
    seat& mine = shared.seats.at(task.index);
    in_flight_locks locks{.places = task.what->in_flight,
                          .announce = task.kind != contender::mutex_unannounced};
    if (task.what->processes > 1) locks.per_place = 1;
    if (task.kind == contender::mutex || task.kind == contender::mutex_unannounced) {
        pawl_in_flight cycles{task.url, mine, locks};
        return warm_up_and_run(cycles, mine, shared, locks);
    }
    // So that both find the server in the same state. It stays until the end: nodes that are slow may get its
    // releases later.
    std::optional<pawl_in_flight> before;
    if (task.kind == contender::raw_same) {
        before.emplace(task.url, mine, locks);
        use_all(*before, mine, locks);
    }
    if (task.what->nodes > 1) return over_a_majority(task, shared, locks);
    const dialogue said = task.kind == contender::raw_same ? dialogue_of_pawl(task.url, async_cycle)
                                                           : least_dialogue(task.url);
    spoken_in_flight cycles{task.url, said, mine, locks};
    warm_up_and_run(cycles, mine, shared, locks);
}

}  // namespace pawl::bench
