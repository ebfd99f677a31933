// The families of runs, and where a family plugs in. Each seed has one run of each family. The runs of a seed have the
// same faults, processes, clocks and times, and use different kinds of locks.
//
// A new family is: an enumerator here, a row in family.cpp, and files of its own for what the row names, which is
//   the plan       a function that draws what the processes use,
//   the cast       a checker and the processes: a class derived from run_checker, and one from participant,
//   the mutants    a list.
#pragma once

#include "sim/dice.h"
#include "sim/drifting_clock.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace pawl::sim {

class participant;
class run_checker;
class server;
class trace;
class world;
struct mutant;
struct plan;
struct stage;

// The servers of a run: one, or the nodes of a quorum.
using node_list = std::vector<std::unique_ptr<server>>;

enum class family {
    exclusive,  // locks that have one holder at a time
    members,    // those that several holders may enter: shared_mutex and counting_semaphore
    many,       // several locks at once: lock_set, beside fair_mutex
    condition,  // condition variables
    leaders,    // leader: one holder at a time, with a payload, which may yield to a certain waiter
    gates,      // those that give nothing to hold: latch and barrier
    once,       // jobs that run once per period: once_per
    quorum,     // locks that have one holder at a time, on several servers
};

// Who takes part in one run.
class cast {
public:
    cast() = default;
    virtual ~cast() = default;
    cast(const cast&) = delete;
    cast& operator=(const cast&) = delete;

    [[nodiscard]] virtual run_checker& checker() = 0;
    [[nodiscard]] virtual std::unique_ptr<participant> make_participant(stage& stage,
                                                                        unsigned number,
                                                                        drifting_clock clock,
                                                                        dice dice) = 0;
};

struct family_parts {
    family which;
    std::string_view name;
    std::string_view meaning;  // for the help of the command
    // Draws the locks. The rest of the plan has been drawn, and is the same for all families.
    void (*draw)(plan& drawn, dice dice);
    std::unique_ptr<cast> (*make_cast)(const plan& plan, world& world, const node_list& nodes,
                                       trace& trace);
    // Those that the runs of this family must detect.
    std::vector<mutant> (*mutants)();
};

[[nodiscard]] std::span<const family_parts> all_families();
[[nodiscard]] const family_parts& parts_of(family which);
[[nodiscard]] std::string_view name_of(family which);

}  // namespace pawl::sim
