// What stands in a lock's queue for a waiter: docs/wire.md.
#pragma once

#include "core/request.h"

#include <string>
#include <string_view>

namespace pawl::store {

[[nodiscard]] std::string place_text(std::string_view holder, const core::queue_place& place);

}  // namespace pawl::store
