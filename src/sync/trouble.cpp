#include "sync/trouble.h"

#include "core/lease_table.h"

namespace pawl::sync {

using core::verdict;

bool means_lost(core::verdict what) noexcept
{
    return what == core::verdict::vanished || what == core::verdict::taken ||
           what == core::verdict::not_a_lock;
}

trouble lost_because(cause why)
{
    return {errc::lost, std::string{to_string(why)}};
}

trouble trouble_of(const core::outcome& got)
{
    switch (got.what) {
    case verdict::vanished:
    case verdict::taken:
    case verdict::not_a_lock: return lost_because(core::cause_of(got.what));
    case verdict::cancelled: return {errc::cancelled, got.detail};
    case verdict::no_reply:
    case verdict::unreachable:
    case verdict::unavailable: return {errc::unreachable, got.detail};
    default: return {errc::refused, got.detail};
    }
}

}  // namespace pawl::sync
