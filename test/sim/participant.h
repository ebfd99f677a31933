// A process with a pawl client. What its threads do differs from family to family.
#pragma once

#include "sim/dice.h"
#include "sim/family.h"
#include "sim/own_count.h"
#include "sim/plan.h"
#include "sim/process.h"
#include "sim/run_checker.h"
#include "sim/server.h"
#include "sim/transport.h"
#include "sim/world.h"

#include <pawl/client.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace pawl::sim {

// The data that all participants of a run share.
struct stage {
    const plan& what;
    pawl::sim::world& world;
    const node_list& nodes;  // one server, or those of a quorum
    run_checker& checker;
    std::array<std::uint64_t, fault_count>& fired;  // how often each fault happened
    bool draining = false;                          // the faults have ended
    std::stop_source drain{};                       // wakes sleeping threads at that time
};

class participant {
public:
    virtual ~participant() = default;
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;

    void start();
    void crash();

    // After the faults: whether each thread got what it still wanted.
    [[nodiscard]] bool has_what_it_wanted() const noexcept { return satisfied_ == threads_; }

    // Destroys the client, in a thread of the process.
    void leave();

    // When no thread has a lock or wants one: what the client's metrics say otherwise than what was counted here. Empty
    // if they agree.
    [[nodiscard]] std::string wrong_metrics() const;

    [[nodiscard]] sim::process& process() noexcept { return *process_; }
    // The network between it and this server.
    [[nodiscard]] sim::network& network(std::size_t node) { return networks_[node]; }
    [[nodiscard]] sim::transport& transport(std::size_t node) { return *transports_[node]; }

protected:
    participant(stage& stage, unsigned number, drifting_clock clock, dice dice);

    // What a thread does until the faults end, again and again.
    virtual void one_cycle(dice& dice) = 0;
    // What it does after that, once. It must succeed.
    virtual void last_cycle(dice& dice) = 0;
    // Destroys everything that uses the client.
    virtual void drop_objects() = 0;

    void sleep(nanoseconds duration);
    // A token that ends a call when the faults end; sometimes also earlier, if callers cancel.
    [[nodiscard]] std::stop_token stop_token_for(dice& dice);

    stage* stage_;
    own_count seen_;
    std::shared_ptr<sim::process> process_;
    std::vector<sim::network> networks_;  // to each server
    dice dice_;
    std::vector<sim::transport*> transports_;
    std::unique_ptr<client> client_;

private:
    void make_client();
    [[nodiscard]] std::unique_ptr<sim::transport> make_way(std::size_t node,
                                                           const sim::transport::limits& within);
    void run_thread(dice dice);

    unsigned threads_;
    unsigned satisfied_ = 0;
};

}  // namespace pawl::sim
