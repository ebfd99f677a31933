// A leader hands the lead over to a candidate with a name.
#pragma once

#include "sync/change.h"
#include "sync/grant.h"

#include <functional>
#include <string_view>

namespace pawl::sync {

// Whether the candidate leads now: then the term has ended. `term` must be a grant of a leader.
[[nodiscard]] change::result yield_to(const grant_ptr& term, std::string_view candidate);

// The same without waiting. `done` is called as client_state::start() says.
using yield_handler = std::function<void(const change::result&)>;
void yield_to(const grant_ptr& term, std::string_view candidate, yield_handler done);

}  // namespace pawl::sync
