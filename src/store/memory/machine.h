// The parts of an engine, as the commands see them.
#pragma once

#include "store/memory/keyspace.h"
#include "store/memory/script_host.h"
#include "store/memory/subscriptions.h"

#include <chrono>

namespace pawl::store::memory {

struct machine {
    // Wall clock of the request that runs now, since the epoch. It stands still until the next
    // request, so that a script sees one time from its start to its end.
    std::chrono::microseconds now{};
    keyspace data;
    subscriptions channels;
    script_host scripts{*this};
    bool memory_full = false;
};

}  // namespace pawl::store::memory
