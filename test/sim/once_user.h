// A process whose threads run jobs once per period: they succeed, fail, and are late.
#pragma once

#include "sim/checker.h"
#include "sim/dice.h"
#include "sim/lock_user.h"
#include "sim/plan.h"

#include <pawl/once_per.h>

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

namespace pawl::sim {

// The jobs of the family `once`.
void draw_once(plan& drawn, dice dice);

class once_user final : public lock_user {
public:
    once_user(stage& stage, checker& watching, unsigned number, drifting_clock clock, dice dice);

private:
    void one_cycle(dice& dice) override;
    void last_cycle(dice& dice) override;
    void drop_objects() override;

    [[nodiscard]] bool try_once(dice& dice, std::size_t lock, const std::stop_token& stop);
    void run_once(dice& dice, std::size_t lock, nanoseconds asked, once_per::turn turn);

    std::vector<std::unique_ptr<once_per>> jobs_;
};

}  // namespace pawl::sim
