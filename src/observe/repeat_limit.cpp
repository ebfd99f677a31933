#include "observe/repeat_limit.h"

#include <algorithm>
#include <utility>

namespace pawl::observe {

// Each record moves the time at which the budget is full again by one pause. So the budget is used up when that time is
// at_once pauses ahead.
std::optional<std::uint64_t> repeat_limit::admit(std::string_view name, base::boot_time now)
{
    auto& mine = names_[name];
    const auto next = std::max(mine.full_at, now) + pause;
    if (next > now + at_once * pause) {
        ++mine.left_out;
        return std::nullopt;
    }
    mine.full_at = next;
    return std::exchange(mine.left_out, 0);
}

}  // namespace pawl::observe
