// The parts of an engine that the commands use.
#pragma once

#include "store/memory/keyspace.h"
#include "store/memory/script_host.h"
#include "store/memory/subscriptions.h"

#include <chrono>
#include <string>

namespace pawl::store::memory {

// What the server says in INFO replication and to WAIT. It has no real replicas.
struct replication {
    bool primary = true;
    unsigned replicas = 0;
    unsigned acknowledging = 0;  // how many of them answer
    unsigned history = 1;        // how often it has become a primary
};

struct machine {
    // The wall clock time of the current request, since the epoch. It does not change until the
    // next request, so that a script sees one time.
    std::chrono::microseconds now{};
    keyspace data;
    subscriptions channels;
    script_host scripts{*this};
    bool memory_full = false;
    std::string run_id;
    memory::replication replication;
};

}  // namespace pawl::store::memory
