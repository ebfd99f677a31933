// The records about the nodes of a quorum in the log: docs/logs.md.
#pragma once

#include "core/quorum/nodes.h"

#include <pawl/log.h>

#include <string>

namespace pawl::store {

[[nodiscard]] log_record record_of(core::quorum::node_warning what);

// A waiter cannot get a lock, because too few nodes can vote. `why` names them.
[[nodiscard]] log_record shortage(const std::string& why, const std::string& quorum);

}  // namespace pawl::store
