// Counts the locks that are held on the private server of `local:`.
#pragma once

#include "base/clock.h"
#include "redis/local_link.h"

#include <cstddef>
#include <string>

namespace pawl::redis {

// The number of locks in all databases that somebody holds, and of latches and barriers at which some participants
// have arrived and others have not. `socket` is for messages. Throws pawl::error (unreachable). May leave another database selected.
[[nodiscard]] std::size_t count_locks(local_link& link, const std::string& socket,
                                      base::boot_time until);

}  // namespace pawl::redis
