// The parts of an engine that the commands use.
#pragma once

#include "store/memory/keyspace.h"
#include "store/memory/script_host.h"
#include "store/memory/subscriptions.h"

#include <chrono>

namespace pawl::store::memory {

struct machine {
    // The wall clock time of the current request, since the epoch. It does not change until the
    // next request, so that a script sees one time.
    std::chrono::microseconds now{};
    keyspace data;
    subscriptions channels;
    script_host scripts{*this};
    bool memory_full = false;
};

}  // namespace pawl::store::memory
