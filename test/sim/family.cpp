#include "sim/family.h"

#include "sim/condition_checker.h"
#include "sim/condition_user.h"
#include "sim/exclusive_checker.h"
#include "sim/gates.h"
#include "sim/leader_checker.h"
#include "sim/lock_user.h"
#include "sim/many_checker.h"
#include "sim/members_checker.h"
#include "sim/mutants.h"
#include "sim/once_checker.h"
#include "sim/once_user.h"
#include "sim/plan.h"
#include "sim/quorum_checker.h"
#include "sim/server.h"

#include <algorithm>
#include <array>

namespace pawl::sim {
namespace {

// Processes that use locks, and the checker that knows which holders may be in together.
template <class Checker, class User = lock_user>
class cast_of_locks final : public cast {
public:
    cast_of_locks(const plan& plan, world& world, server& server, trace& trace)
        : checker_{plan, world, server, trace}
    {
    }

    [[nodiscard]] run_checker& checker() override { return checker_; }
    [[nodiscard]] std::unique_ptr<participant> make_participant(stage& stage, unsigned number,
                                                                drifting_clock clock,
                                                                dice dice) override
    {
        return std::make_unique<User>(stage, checker_, number, clock, dice);
    }

private:
    Checker checker_;
};

class cast_of_conditions final : public cast {
public:
    cast_of_conditions(const plan& plan, world& world, server& server, trace& trace)
        : checker_{plan, world, server, trace}
    {
    }

    [[nodiscard]] run_checker& checker() override { return checker_; }
    [[nodiscard]] std::unique_ptr<participant> make_participant(stage& stage, unsigned number,
                                                                drifting_clock clock,
                                                                dice dice) override
    {
        return std::make_unique<condition_user>(stage, checker_, number, clock, dice);
    }

private:
    condition_checker checker_;
};

template <class Cast>
std::unique_ptr<cast> make(const plan& plan, world& world, const node_list& nodes, trace& trace)
{
    return std::make_unique<Cast>(plan, world, *nodes.front(), trace);
}

class cast_of_quorum final : public cast {
public:
    cast_of_quorum(const plan& plan, world& world, const node_list& nodes, trace& trace)
        : checker_{plan, world, nodes, trace}
    {
    }

    [[nodiscard]] run_checker& checker() override { return checker_; }
    [[nodiscard]] std::unique_ptr<participant> make_participant(stage& stage, unsigned number,
                                                                drifting_clock clock,
                                                                dice dice) override
    {
        return std::make_unique<lock_user>(stage, checker_, number, clock, dice);
    }

private:
    quorum_checker checker_;
};

std::unique_ptr<cast> make_quorum(const plan& plan, world& world, const node_list& nodes,
                                  trace& trace)
{
    return std::make_unique<cast_of_quorum>(plan, world, nodes, trace);
}

}  // namespace

std::span<const family_parts> all_families()
{
    static const std::array all{
        family_parts{.which = family::exclusive,
                     .name = "exclusive",
                     .meaning = "locks that one holder at a time has",
                     .draw = draw_stripes,
                     .make_cast = make<cast_of_locks<exclusive_checker>>,
                     .mutants = exclusive_mutants},
        family_parts{.which = family::members,
                     .name = "members",
                     .meaning = "those that several may enter",
                     .draw = draw_members,
                     .make_cast = make<cast_of_locks<members_checker>>,
                     .mutants = members_mutants},
        family_parts{.which = family::many,
                     .name = "many",
                     .meaning = "several locks at once",
                     .draw = draw_many,
                     .make_cast = make<cast_of_locks<many_checker>>,
                     .mutants = many_mutants},
        family_parts{.which = family::condition,
                     .name = "condition",
                     .meaning = "condition variables",
                     .draw = draw_conditions,
                     .make_cast = make<cast_of_conditions>,
                     .mutants = condition_mutants},
        family_parts{.which = family::leaders,
                     .name = "leaders",
                     .meaning = "leaders, which may yield to a certain candidate",
                     .draw = draw_leaders,
                     .make_cast = make<cast_of_locks<leader_checker>>,
                     .mutants = leader_mutants},
        family_parts{.which = family::gates,
                     .name = "gates",
                     .meaning = "latches and barriers",
                     .draw = draw_gates,
                     .make_cast = make<cast_of_gates>,
                     .mutants = gates_mutants},
        family_parts{.which = family::once,
                     .name = "once",
                     .meaning = "jobs that run once per period",
                     .draw = draw_once,
                     .make_cast = make<cast_of_locks<once_checker, once_user>>,
                     .mutants = once_mutants},
        family_parts{.which = family::quorum,
                     .name = "quorum",
                     .meaning = "locks on several servers",
                     .draw = draw_quorum,
                     .make_cast = make_quorum,
                     .mutants = quorum_mutants},
    };
    return all;
}

const family_parts& parts_of(family which)
{
    return *std::ranges::find(all_families(), which, &family_parts::which);
}

std::string_view name_of(family which)
{
    return parts_of(which).name;
}

}  // namespace pawl::sim
