// One run, from its plan to its result.
#pragma once

#include "sim/family.h"
#include "sim/fault.h"
#include "sim/participant.h"
#include "sim/plan.h"
#include "sim/run_checker.h"
#include "sim/server.h"
#include "sim/trace.h"
#include "sim/world.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl::sim {

struct report {
    std::optional<violation> found;
    std::uint64_t steps = 0;
    std::uint64_t grants = 0;
    std::uint64_t losses = 0;
    std::uint64_t stale_writes = 0;  // refused because of their fence
    nanoseconds simulated{};
    std::array<std::uint64_t, fault_count> fired{};
    std::string trace;  // if it was requested
};

class run {
public:
    run(const plan& what, bool with_trace);
    ~run();
    run(const run&) = delete;
    run& operator=(const run&) = delete;

    [[nodiscard]] report execute();

private:
    // Each kind has separate dice: without one kind, the others stay the same.
    struct kind_of_harm {
        fault which;
        dice chance;
        nanoseconds often;
    };

    // These are in run_faults.cpp.
    void plan_fault(fault which);
    void plan_next(kind_of_harm& harm);
    void strike(kind_of_harm& harm);
    // Each returns whether it did something.
    [[nodiscard]] bool strike_network(kind_of_harm& harm);
    [[nodiscard]] bool strike_way(kind_of_harm& harm, participant& who, std::size_t node);
    [[nodiscard]] bool strike_process(kind_of_harm& harm);
    [[nodiscard]] bool strike_server(kind_of_harm& harm);
    [[nodiscard]] bool demote_server(std::size_t node, dice& chance);
    [[nodiscard]] bool restart_server(std::size_t node, dice& chance, bool keep_data,
                                      bool old_data);
    [[nodiscard]] bool step_server_clock(std::size_t node, nanoseconds by);
    [[nodiscard]] bool may_begin_anew(std::size_t node, bool loses_data) const;
    void note_loss(std::size_t node, bool known);
    [[nodiscard]] bool go_far_back(dice& chance);
    void for_a_while(dice& chance, const std::function<void()>& begin, std::function<void()> end);

    void add_participant();
    [[nodiscard]] participant* any_participant(dice& chance);
    [[nodiscard]] drifting_clock draw_clock(nanoseconds start, dice& dice);
    [[nodiscard]] node_list make_nodes();
    [[nodiscard]] bool step();
    void go_on_until(nanoseconds when);
    void heal();
    void drain();
    void watch_waiting(nanoseconds from);
    void check_metrics();
    void finish();

    plan plan_;
    dice dice_;
    std::vector<std::unique_ptr<kind_of_harm>> harm_;
    world world_;
    trace trace_;
    std::array<std::uint64_t, fault_count> fired_{};
    node_list nodes_;
    server& server_;  // the only one, or the first of the nodes
    std::unique_ptr<cast> cast_;
    run_checker* checker_;
    stage stage_;
    std::vector<std::unique_ptr<participant>> participants_;  // including dead ones
    bool finishing_ = false;  // no participant wants a lock any more
    struct past {
        nanoseconds stepped{0};
        nanoseconds lost{-1};   // when the node last lost data
        nanoseconds began{-1};  // when its last quarantine began
    };
    std::vector<past> pasts_;     // of each node
    nanoseconds quiet_until_{0};  // no faults until then
};

}  // namespace pawl::sim
