// What the headers over <pawl/async.h> make of the code that a call ended with. Not for users.
#pragma once

#include <pawl/error.h>

#include <string>
#include <system_error>

namespace pawl::detail {

// What the try_ forms answer with "no" rather than with an exception.
[[nodiscard]] inline bool is_just_no(const std::error_code& ec) noexcept
{
    return ec == errc::busy || ec == errc::timed_out || ec == errc::cancelled;
}

// What the blocking calls would have thrown.
[[noreturn]] inline void raise(const std::error_code& ec, const std::string& message)
{
    if (ec.category() == error_category()) throw error{static_cast<errc>(ec.value()), message};
    throw std::system_error{ec, message};
}

}  // namespace pawl::detail
