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
#include <pawl/leader.h>
#include <pawl/lock_set.h>
#include <pawl/lockable.h>
#include <pawl/mutex.h>
#include <pawl/recursive_mutex.h>
#include <pawl/shared_mutex.h>
#include <pawl/striped_mutex.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace pawl::sim {

class lock_user : public participant {
public:
    lock_user(stage& stage, checker& watching, unsigned number, drifting_clock clock, dice dice);

protected:
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
        std::optional<striped_mutex> striped;  // at the first of its stripes
        std::optional<shared_mutex> shared;
        std::optional<counting_semaphore> semaphore;
        std::optional<lock_set> set;
        std::optional<pawl::leader> leader;
        std::unique_ptr<pawl::leader::candidacy> candidate;
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

    [[nodiscard]] entry entry_of(const wish& what) const;
    void work(dice& dice, belief& mine, hold& held);
    void give_back(dice& dice, belief& mine, hold& held);

    checker* checker_;
    std::vector<std::unique_ptr<lock_here>> locks_;

private:
    void make_lock(const lock_plan& what);
    void make_doors(lock_here& made, const lock_plan& what);
    void make_stripes(std::size_t first);
    [[nodiscard]] wish choose(dice& dice);
    void lock_and_unlock(dice& dice, const wish& what);
    void resize(std::size_t lock, unsigned capacity);
    void get_for_sure(dice& dice, const wish& what);
    [[nodiscard]] std::optional<hold> try_to_get(dice& dice, const wish& what);
    void critical_section(dice& dice, const wish& what, hold held);
    [[nodiscard]] std::optional<hold> change_sides(dice& dice, const wish& what, belief& mine,
                                                   hold& held);
    void enter_again(dice& dice, const belief& outer);
    [[nodiscard]] static std::string candidate_name(unsigned process);
    [[nodiscard]] bool yield(dice& dice, belief& mine, hold& held);
    void read_leader(const belief& mine);
    void watch_leader(dice& dice, std::size_t lock);
};

}  // namespace pawl::sim
