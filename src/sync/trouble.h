// A failure on its way to the caller, who gets it as an exception or as an error_code.
#pragma once

#include <pawl/error.h>

#include <optional>
#include <string>
#include <system_error>

namespace pawl::sync {

struct trouble {
    errc code{};
    std::string detail;  // what happened, in someone else's words
};

using maybe_trouble = std::optional<trouble>;

// For the forms that take an error_code: runs `work`, which returns what remains for the caller, and
// turns the system's own failures (no descriptors, no threads) into a code as well.
template <class Work>
auto with_code(std::error_code& ec, Work work) noexcept -> decltype(work())
{
    ec.clear();
    try {
        return work();
    } catch (const std::system_error& e) {
        ec = e.code();
        return decltype(work())();
    }
}

}  // namespace pawl::sync
