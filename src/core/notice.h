// Messages that the server sends to a client without being asked.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <string>

namespace pawl::core {

// A lock was handed over to one of this client's waiters.
struct grant_notice {
    std::string holder;
    std::uint64_t fence{};

    // The earliest time at which this can have happened, by the clock of this computer. Not the time at
    // which the message arrived: it may have been on its way for any time, and the lease ran meanwhile.
    // boot_time{} if it is not known.
    base::boot_time at{};

    // False: the grant counts only after a request of the waiter, which the replicas acknowledge.
    bool acknowledged = true;
};

}  // namespace pawl::core
