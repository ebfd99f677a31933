// A leader hands the lead over to a candidate with a name.
#pragma once

#include "sync/trouble.h"

#include <pawl/hold.h>

#include <string_view>
#include <variant>

namespace pawl::sync {

// Whether the candidate leads now: then `term` is empty. `term` must be a hold of a leader.
using yield_result = std::variant<bool, trouble>;
[[nodiscard]] yield_result yield_to(hold& term, std::string_view candidate);

}  // namespace pawl::sync
