#include "sim/participant.h"

#include "sim/background.h"
#include "sim/counted_store.h"
#include "store/quorum/quorum_store.h"
#include "store/redis/single_server.h"
#include "sync/client_access.h"
#include "sync/surroundings.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

participant::participant(stage& stage, unsigned number, drifting_clock clock, dice dice)
    : stage_{&stage},
      process_{std::make_shared<sim::process>(stage.world, number, clock, dice.stream(1))},
      networks_(stage.nodes.size(), sim::network{.delay = stage.what.delay}),
      dice_{dice},
      threads_{stage.what.threads}
{
    make_client();
}

std::unique_ptr<sim::transport> participant::make_way(std::size_t node,
                                                      const sim::transport::limits& within)
{
    // The first one has the dice that a single server has.
    constexpr std::uint64_t others = 20;
    auto way = std::make_unique<sim::transport>(
        stage_->world, *stage_->nodes[node], process_, networks_[node],
        dice_.stream(node == 0 ? 2 : others + node), within);
    way->on_send([this](const auto& words) { stage_->checker.sent(*process_, words); });
    way->on_submit([this](const auto& words) { stage_->checker.submitted(*process_, words); });
    way->on_call([this](const auto& words) { stage_->checker.called(*process_, words); });
    way->on_arrival([this] { stage_->checker.arrived(*process_); });
    transports_.push_back(way.get());
    return way;
}

void participant::make_client()
{
    const auto& plan = stage_->what;
    client_options options;
    options.command_limit = plan.command_limit;
    options.connect_limit = std::min<milliseconds>(plan.command_limit, 2s);
    options.clock_drift = plan.drift;
    options.on_event = [this](const event& what) {
        seen_.heard(what);
        stage_->checker.heard(*process_, what);
    };

    const sim::transport::limits within{.connect = options.connect_limit,
                                        .command = options.command_limit};
    sync::surroundings around{.client = process_->draw_client(),
                              .platform = process_,
                              .stops = std::make_unique<sim_dispatcher>(process_),
                              .handlers = std::make_unique<sim_dispatcher>(process_),
                              .loop = std::make_unique<sim_scheduler>(process_),
                              .store = nullptr};
    if (plan.nodes == 1) {
        around.store =
            std::make_shared<store::single_server>(process_, make_way(0, within), plan.drift);
    } else {
        options.longest_lease = plan.longest_lease;
        std::vector<std::unique_ptr<redis::transport>> ways;
        for (std::size_t i = 0; i < plan.nodes; ++i) ways.push_back(make_way(i, within));
        around.quorum = true;
        around.store = std::make_shared<store::quorum_store>(
            process_, *around.loop, std::move(ways),
            store::quorum_store::settings{.shown = "sim:",
                                          .clock_drift = plan.drift,
                                          .command_limit = plan.command_limit,
                                          .quarantine = plan.quarantine,
                                          .log = {}});
    }
    around.store = std::make_shared<counted_store>(std::move(around.store), seen_);
    client_.reset(new client(client_access::make(std::move(options), std::move(around))));
}

void participant::start()
{
    for (unsigned i = 0; i < threads_; ++i) {
        process_->start_thread([this, dice = dice_.stream(100 + i)] { run_thread(dice); });
    }
}

void participant::crash()
{
    process_->crash();
    drop_objects();
    client_.reset();
    transports_.clear();
}

void participant::leave()
{
    process_->start_thread([this] {
        drop_objects();
        client_.reset();
        transports_.clear();
    });
}

std::string participant::wrong_metrics() const
{
    return seen_.difference(client_->metrics());
}

void participant::sleep(nanoseconds duration)
{
    if (process_->is_dead()) return;
    signal woken;
    const std::stop_callback watch{stage_->drain.get_token(), [&] { woken.set(); }};
    process_->wait(woken, process_->now() + duration);
}

void participant::run_thread(dice dice)
{
    while (!stage_->draining && !process_->is_dead()) one_cycle(dice);
    if (process_->is_dead()) return;
    last_cycle(dice);
    ++satisfied_;
}

std::stop_token participant::stop_token_for(dice& dice)
{
    if (!stage_->what.has(fault::cancels) || !dice.chance(0.3)) return stage_->drain.get_token();
    std::stop_source change_of_mind;
    ++stage_->fired[static_cast<std::size_t>(fault::cancels)];
    process_->after(dice.spread(stage_->what.delay, stage_->what.lease),
                    [change_of_mind]() mutable { change_of_mind.request_stop(); });
    return change_of_mind.get_token();
}

}  // namespace pawl::sim
