// Which machines the servers of a URL are on, as far as their addresses tell.
#pragma once

#include "doctor/facts.h"
#include "redis/deployment.h"

#include <chrono>
#include <vector>

namespace pawl::doctor {

// The nodes of a quorum, or the sentinels. Looks up their names, and waits no longer than the limit for each.
[[nodiscard]] std::vector<place> places_of(const redis::deployment& where,
                                           std::chrono::milliseconds limit);

}  // namespace pawl::doctor
