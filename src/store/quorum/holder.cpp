#include "store/quorum/holder.h"

#include <algorithm>
#include <initializer_list>

namespace pawl::store {
namespace {

// The last of these times, if it is still to come.
base::boot_time latest(std::initializer_list<base::boot_time> all, base::boot_time now)
{
    const auto last = std::max(all);
    return last > now ? last : base::boot_time{};
}

}  // namespace

core::quorum::return_machine::plan holder::parting(const core::release_request* last,
                                                   unsigned nodes, base::boot_time now) const
{
    core::quorum::return_machine::plan plan;
    plan.parts.resize(nodes);
    if (last != nullptr && last->announce) plan.announcement = announcement;
    plan.lease = longest;
    for (unsigned i = 0; i < nodes; ++i) {
        auto& part = plan.parts[i];
        part.late_until = latest({past[i].restored_late, past[i].restoring_until}, now);
        if (!claim) {
            part.there = true;
            continue;
        }
        const auto& mine = claim->at(i);
        if (returning) part.maybe_until = returning->maybe_until(i);
        const bool unclean =
            returning && (!returning->is_clean(i, now) || !returning->is_over(i, now));
        part.there = mine.may_be_there() || past[i].restored || unclean || part.late_until > now;
        // A vote request of the earlier claim, which that return would have followed.
        const auto older = returning ? returning->late_until(i) : base::boot_time{};
        part.late_until =
            latest({part.late_until, older, past[i].asked_late, mine.late_until}, now);
        if (mine.asked && mine.asked_until > now) {
            part.asked = mine.asked;
            part.asked_until = mine.asked_until;
        }
        // A node with another number must keep it: it may have given that number to others before.
        const bool same = claim->held() && mine.is_cast() && mine.number == claim->held()->fence;
        if (last != nullptr && same) {
            part.used = last->used;
            part.has_reserve = last->has_reserve;
        }
    }
    return plan;
}

}  // namespace pawl::store
