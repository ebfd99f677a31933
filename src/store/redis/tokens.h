// How a lock is told from other values.
#pragma once

#include <string_view>

namespace pawl::store {

// Whether a value without an expiry is a holder, by the rule of src/scripts/parts/busy.lua.
[[nodiscard]] bool looks_like_holder(std::string_view value) noexcept;

}  // namespace pawl::store
