// Targets of pawl, for the lists of workloads.
#pragma once

#include "workload.h"

namespace pawl::bench {

[[nodiscard]] inline target at_least(double value, contender who, metric what)
{
    return {.who = who, .what = what, .which = target::bound::at_least, .value = value};
}

[[nodiscard]] inline target at_most(double value, contender who, metric what)
{
    return {.who = who, .what = what, .which = target::bound::at_most, .value = value};
}

[[nodiscard]] inline target times_reference(target wanted, contender reference)
{
    wanted.compared_with = target::against::reference;
    wanted.reference = reference;
    return wanted;
}

[[nodiscard]] inline target times_best_peer(target wanted)
{
    wanted.compared_with = target::against::best_peer;
    return wanted;
}

[[nodiscard]] inline target at_least_times(double value, contender who, metric what,
                                           contender reference)
{
    return times_reference(at_least(value, who, what), reference);
}

[[nodiscard]] inline target at_least_times_best_peer(double value, contender who, metric what)
{
    return times_best_peer(at_least(value, who, what));
}

[[nodiscard]] inline target at_most_times_best_peer(double value, contender who, metric what)
{
    return times_best_peer(at_most(value, who, what));
}

}  // namespace pawl::bench
