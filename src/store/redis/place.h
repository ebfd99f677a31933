// What stands in a lock's queue for a waiter: src/scripts/parts/place.lua.
#pragma once

#include "core/request.h"

#include <chrono>
#include <string>

namespace pawl::store {

// The place is kept until this time, by the server's clock; 0 for a request that does not wait. At most
// 9,999 numbers can be reserved.
[[nodiscard]] std::string place_text(const core::queue_place& place,
                                     std::chrono::milliseconds until);

}  // namespace pawl::store
