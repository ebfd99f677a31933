// A failure on its way to the caller.
#pragma once

#include "core/failure.h"
#include "core/request.h"

#include <pawl/detail/with_code.h>
#include <pawl/event.h>

#include <optional>
#include <string>

namespace pawl::sync {

using core::trouble;
using core::trouble_of;
using detail::with_code;

using maybe_trouble = std::optional<trouble>;

[[nodiscard]] trouble lost_because(cause why);

}  // namespace pawl::sync
