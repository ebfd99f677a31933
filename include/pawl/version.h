// The version of the headers (macros) and of the library that the program is linked to (function).
#pragma once

#include <pawl/export.h>

#include <string_view>

#define PAWL_VERSION_MAJOR 0
#define PAWL_VERSION_MINOR 1
#define PAWL_VERSION_PATCH 0
#define PAWL_VERSION "0.1.0"

namespace pawl {

// Returns the version of the library, in the form of PAWL_VERSION.
// Round trips: none.
// Threads: any thread may call it.
[[nodiscard]] PAWL_EXPORT std::string_view version() noexcept;

}  // namespace pawl
