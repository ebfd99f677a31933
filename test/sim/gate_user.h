// A process whose threads arrive at latches and barriers, and wait there.
#pragma once

#include "sim/gates_checker.h"
#include "sim/participant.h"

#include <pawl/barrier.h>
#include <pawl/latch.h>
#include <pawl/waitable.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace pawl::sim {

class gate_user final : public participant {
public:
    gate_user(stage& stage, gates_checker& watching, unsigned number, drifting_clock clock,
              dice dice);

private:
    // The threads of the process share it.
    struct gate_here {
        std::string name;
        std::optional<latch> as_latch;
        std::optional<barrier> as_barrier;
    };
    using gate_ptr = std::shared_ptr<gate_here>;
    // What a thread has after it arrived at a barrier.
    struct arrived_here {
        gates_checker::arrival_ptr known_as;
        barrier::arrival arrival;
    };

    void one_cycle(dice& dice) override;
    void last_cycle(dice& dice) override;
    void drop_objects() override { gates_.clear(); }

    [[nodiscard]] gate_ptr open(std::size_t lock, const std::string& name, unsigned expected);
    void use_latch(dice& dice, gate_here& gate);
    void use_barrier(dice& dice, gate_here& gate);
    gates_checker::arrival_ptr count_down(dice& dice, gate_here& gate, unsigned count,
                                          std::error_code& ec);
    [[nodiscard]] arrived_here arrive(dice& dice, gate_here& gate, unsigned count,
                                      std::error_code& ec);
    void drop_out(gate_here& gate);
    void wait_somehow(dice& dice, const std::string& name, const waitable& what,
                      const gates_checker::arrival_ptr& mine);
    void wait_for_sure(const std::string& name, const waitable& what,
                       const gates_checker::arrival_ptr& mine);
    [[nodiscard]] bool goes_on() const;
    void last_latch(dice& dice, gate_here& gate);
    void last_phase(dice& dice, gate_here& gate);

    gates_checker* checker_;
    std::map<std::string, gate_ptr> gates_;
};

}  // namespace pawl::sim
