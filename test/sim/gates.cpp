#include "sim/gates.h"

#include "sim/gate_user.h"
#include "sim/plan.h"

#include <string>

namespace pawl::sim {

void draw_gates(plan& drawn, dice dice)
{
    using kind = lock_plan::kind;
    drawn.locks.clear();
    const auto count = dice.one_of({1, 1, 2});
    for (int i = 0; i < count; ++i) {
        drawn.locks.push_back({.name = "gate:" + std::to_string(i),
                               .what = dice.one_of({kind::latch, kind::barrier}),
                               .expected = static_cast<unsigned>(dice.between(1, 6))});
    }
}

cast_of_gates::cast_of_gates(const plan& plan, world& world, server& server, trace& trace)
    : checker_{plan, world, server, trace}
{
}

std::unique_ptr<participant> cast_of_gates::make_participant(stage& stage, unsigned number,
                                                             drifting_clock clock, dice dice)
{
    auto fresh = std::make_unique<gate_user>(stage, checker_, number, clock, dice);
    checker_.takes_part(fresh->process());
    return fresh;
}

}  // namespace pawl::sim
