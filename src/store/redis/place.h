// The text of a waiter's place in the queue. src/scripts/parts/place.lua describes its fields.
#pragma once

#include "core/request.h"

#include <chrono>
#include <string>

namespace pawl::store {

// The place in the queue of `what`. `until` is the time until which the place is kept, by the server's clock. It
// is 0 for a request that does not wait. At most 9,999 numbers can be reserved.
[[nodiscard]] std::string place_text(const core::object& what, const core::queue_place& place,
                                     std::chrono::milliseconds until);

// The text after the time, for a script that writes the time and the mode itself.
[[nodiscard]] std::string place_text_after_time(const core::object& what,
                                                const core::queue_place& place);

}  // namespace pawl::store
