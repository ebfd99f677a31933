// How the forms of a call treat its error code. Not for users.
#pragma once

#include <pawl/error.h>

#include <condition_variable>
#include <string>
#include <system_error>

namespace pawl::detail {

// Returns whether the try_ forms return an empty result for this code, rather than throw.
[[nodiscard]] inline bool is_just_no(const std::error_code& ec) noexcept
{
    return ec == errc::busy || ec == errc::timed_out || ec == errc::cancelled ||
           ec == errc::not_due;
}

// What a wait for a condition says about its limit.
[[nodiscard]] inline std::cv_status status_of(const std::error_code& ec) noexcept
{
    return ec ? std::cv_status::timeout : std::cv_status::no_timeout;
}

// Throws what the blocking calls would have thrown.
[[noreturn]] inline void raise(const std::error_code& ec, const std::string& message)
{
    if (ec.category() == error_category()) throw error{static_cast<errc>(ec.value()), message};
    throw std::system_error{ec, message};
}

}  // namespace pawl::detail
