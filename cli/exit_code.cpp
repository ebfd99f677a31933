#include "exit_code.h"

#include <pawl/error.h>

namespace pawl::cli::exit_code {

int of(const std::error_code& error) noexcept
{
    if (error.category() != error_category()) return internal;
    switch (static_cast<errc>(error.value())) {
    case errc::busy:
    case errc::not_due:
    case errc::timed_out: return not_acquired;
    case errc::lost: return lost;
    case errc::no_quorum:
    case errc::unreachable: return unreachable;
    case errc::refused: return refused;
    case errc::not_a_lock: return not_a_lock;
    case errc::bad_argument: return usage;
    case errc::cancelled:
    case errc::not_owner:
    case errc::would_deadlock:
    case errc::wrong_process: break;
    }
    return internal;
}

}  // namespace pawl::cli::exit_code
