// What the server tells a client of its own accord.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <string>

namespace pawl::core {

// A lock was handed over to one of this client's waiters.
struct grant_notice {
    std::string holder;
    std::uint64_t fence{};

    // When that happened, at the earliest, by this machine's clock. Not when we heard of it: the
    // message may have been on its way for any time, and the lease ran meanwhile. Nothing if that
    // cannot be told.
    base::boot_time at{};
};

}  // namespace pawl::core
