// A process whose threads use locks as programs do: carefully and carelessly, for short and long times, and with
// cancellations.
#pragma once

#include "sim/checker.h"
#include "sim/dice.h"
#include "sim/participant.h"
#include "sim/plan.h"
#include "sim/process.h"

#include <pawl/acquirable.h>
#include <pawl/counting_semaphore.h>
#include <pawl/fair_mutex.h>
#include <pawl/hold.h>
#include <pawl/lock_set.h>
#include <pawl/lockable.h>
#include <pawl/mutex.h>
#include <pawl/recursive_mutex.h>
#include <pawl/shared_mutex.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace pawl::sim {

class lock_user final : public participant {
public:
    lock_user(stage& stage, checker& watching, unsigned number, drifting_clock clock, dice dice);

private:
    // One way to enter a lock.
    struct door {
        acquirable* what = nullptr;
        lockable* locks = nullptr;  // null if a thread cannot lock() it
        way_in how{};
    };
    struct lock_here {
        std::optional<mutex> plain;
        std::optional<recursive_mutex> recursive;
        std::optional<fair_mutex> fair;
        std::optional<shared_mutex> shared;
        std::optional<counting_semaphore> semaphore;
        std::optional<lock_set> set;
        lock_options options;
        std::vector<door> doors;
    };
    // What a thread wants: to enter this lock by this door.
    struct wish {
        std::size_t lock = 0;
        door by{};
        nanoseconds since{};
    };

    void one_cycle(dice& dice) override;
    void last_cycle(dice& dice) override;
    void drop_objects() override { locks_.clear(); }

    void make_lock(const lock_plan& what);
    void make_doors(lock_here& made, const lock_plan& what);
    [[nodiscard]] wish choose(dice& dice);
    void lock_and_unlock(dice& dice, const wish& what);
    void get_for_sure(dice& dice, const wish& what);
    [[nodiscard]] std::optional<hold> try_to_get(dice& dice, const wish& what);
    [[nodiscard]] entry entry_of(const wish& what) const;
    void critical_section(dice& dice, const wish& what, hold held);
    [[nodiscard]] std::optional<hold> change_sides(dice& dice, const wish& what, belief& mine,
                                                   hold& held);
    void work(dice& dice, belief& mine, hold& held);
    void enter_again(dice& dice, const belief& outer);
    void give_back(dice& dice, belief& mine, hold& held);

    checker* checker_;
    std::vector<std::unique_ptr<lock_here>> locks_;
};

}  // namespace pawl::sim
