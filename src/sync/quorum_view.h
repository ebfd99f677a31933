// What the nodes of a quorum say of one lock, as one.
#pragma once

#include <pawl/inspect.h>

#include <optional>
#include <vector>

namespace pawl::sync {

// `said` is what each node says, in their order; nothing of a node that did not answer.
[[nodiscard]] lock_info merged(const std::vector<std::optional<lock_info>>& said);

}  // namespace pawl::sync
