// The forms of a call that take an error_code. Not for users.
#pragma once

#include <pawl/error.h>

#include <system_error>

namespace pawl::detail {

// Runs `work`, which returns what remains for the caller, and turns the system's own failures (no
// descriptors, no threads) into `unreachable`, as likely to pass.
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

}  // namespace pawl::detail
