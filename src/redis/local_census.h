// Which locks are held on the private server of `local:`.
#pragma once

#include "base/clock.h"
#include "redis/local_link.h"

#include <cstddef>
#include <string>

namespace pawl::redis {

// How many, in all databases. The fences and queues that belong to locks do not count. `socket` is
// for messages. Throws pawl::error (unreachable). Afterwards another database may be selected.
[[nodiscard]] std::size_t count_locks(local_link& link, const std::string& socket,
                                      base::boot_time until);

}  // namespace pawl::redis
