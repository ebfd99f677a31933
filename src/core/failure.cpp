#include "core/failure.h"

namespace pawl::core {

errc errc_of(failure_kind what) noexcept
{
    switch (what) {
    case failure_kind::not_a_lock: return errc::not_a_lock;
    case failure_kind::refused: return errc::refused;
    case failure_kind::not_due: return errc::not_due;
    case failure_kind::gone: return errc::lost;
    case failure_kind::cancelled: return errc::cancelled;
    case failure_kind::no_quorum: return errc::no_quorum;
    case failure_kind::unavailable:
    case failure_kind::no_reply:
    case failure_kind::unreachable:
    case failure_kind::elsewhere: break;
    }
    return errc::unreachable;
}

trouble trouble_of(const failure& got)
{
    return {errc_of(got.what), got.detail};
}

cause cause_of(failure_kind what) noexcept
{
    switch (what) {
    case failure_kind::not_a_lock: return cause::not_a_lock;
    case failure_kind::refused: return cause::refused;
    case failure_kind::gone: return cause::vanished;
    case failure_kind::no_reply: return cause::no_reply;
    case failure_kind::unavailable:
    case failure_kind::unreachable:
    case failure_kind::elsewhere:
    case failure_kind::no_quorum: return cause::unreachable;
    case failure_kind::not_due:  // no renewal fails in this way
    case failure_kind::cancelled: break;
    }
    return cause::none;
}

}  // namespace pawl::core
