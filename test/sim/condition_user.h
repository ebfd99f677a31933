// A process whose threads put items on shelves and take them away, with a condition variable for each shelf.
#pragma once

#include "sim/condition_checker.h"
#include "sim/dice.h"
#include "sim/participant.h"
#include "sim/plan.h"

#include <pawl/condition_variable.h>
#include <pawl/fair_mutex.h>
#include <pawl/hold.h>
#include <pawl/mutex.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <vector>

namespace pawl::sim {

// The locks of the family `condition`.
void draw_conditions(plan& drawn, dice dice);

class condition_user final : public participant {
public:
    condition_user(stage& stage, condition_checker& watching, unsigned number, drifting_clock clock,
                   dice dice);

private:
    struct lock_here {
        std::optional<mutex> plain;
        std::optional<fair_mutex> fair;
        std::optional<condition_variable> more;
        lock_options options;

        [[nodiscard]] acquirable& lock() { return fair ? static_cast<acquirable&>(*fair) : *plain; }
    };
    struct turn;  // a thread with its hold

    void one_cycle(dice& dice) override;
    void last_cycle(dice& dice) override;
    void drop_objects() override { locks_.clear(); }

    void make_lock(const lock_plan& what);
    void put(dice& dice, turn& mine);
    void take(dice& dice, turn& mine);
    [[nodiscard]] bool wait(dice& dice, turn& mine, time_limit limit, const std::stop_token& stop);
    void notify(dice& dice, std::size_t lock, bool all);
    void pass_gate(dice& dice, std::size_t lock);
    void work(dice& dice, turn& mine);

    condition_checker* checker_;
    std::vector<std::unique_ptr<lock_here>> locks_;
};

}  // namespace pawl::sim
