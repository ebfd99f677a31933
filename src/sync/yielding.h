// A leader hands the lead over to a candidate with a name.
#pragma once

#include "sync/change.h"
#include "sync/trouble.h"

#include <pawl/hold.h>

#include <functional>
#include <string_view>

namespace pawl::sync {

// Whether the candidate leads now: then `term` is empty. `term` must be a hold of a leader, and not empty.
[[nodiscard]] change::result yield_to(const hold& term, std::string_view candidate);

// The same without waiting. `done` is called as client_state::start() says. The term may be moved meanwhile.
using yield_handler = std::function<void(const change::result&)>;
void yield_to(const hold& term, std::string_view candidate, yield_handler done);

}  // namespace pawl::sync
