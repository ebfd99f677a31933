// The family `gates`: latches and barriers. A gate is used a few times only, so each lock of the plan stands for a
// series of gates, one after the other.
#pragma once

#include "sim/family.h"
#include "sim/gates_checker.h"
#include "sim/mutants.h"
#include "sim/process.h"

#include <memory>
#include <vector>

namespace pawl::sim {

void draw_gates(plan& drawn, dice dice);

class cast_of_gates final : public cast {
public:
    cast_of_gates(const plan& plan, world& world, server& server, trace& trace);

    [[nodiscard]] run_checker& checker() override { return checker_; }
    [[nodiscard]] std::unique_ptr<participant> make_participant(stage& stage, unsigned number,
                                                                drifting_clock clock,
                                                                dice dice) override;

private:
    gates_checker checker_;
};

[[nodiscard]] std::vector<mutant> gates_mutants();

}  // namespace pawl::sim
