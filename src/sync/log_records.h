// The records that the client writes to the log, with their names and fields: docs/logs.md.
#pragma once

#include "core/lease.h"
#include "sync/trouble.h"

#include <pawl/event.h>
#include <pawl/log.h>

#include <string>
#include <string_view>

namespace pawl::sync {

// A hold changed its state. Not for `released`.
[[nodiscard]] log_record record_of(const event& what, const std::string& server);

// No caller can be told that a release failed. `action` is what was called.
[[nodiscard]] log_record release_failed(std::string_view action, const core::lease& what,
                                        const std::string& server, const trouble& why);

// unlock() of a lock that this thread does not have.
[[nodiscard]] log_record not_the_owner(const std::string& lock, const std::string& server);

}  // namespace pawl::sync
