// A failure on its way to the caller.
#pragma once

#include "core/failure.h"
#include "core/request.h"

#include <pawl/error.h>
#include <pawl/event.h>

#include <optional>
#include <string>
#include <system_error>

namespace pawl::sync {

using core::trouble;
using core::trouble_of;

using maybe_trouble = std::optional<trouble>;

[[nodiscard]] trouble lost_because(cause why);

// For the forms that take an error_code: runs `work`, which returns what remains for the caller, and
// turns the system's own failures (no descriptors, no threads) into `unreachable`, as likely to pass.
template <class Work>
auto with_code(std::error_code& ec, Work work) noexcept -> decltype(work())
{
    ec.clear();
    try {
        return work();
    } catch (const std::system_error& e) {
        const bool ours = e.code().category() == error_category();
        ec = ours ? e.code() : make_error_code(errc::unreachable);
        return decltype(work())();
    }
}

}  // namespace pawl::sync
