// What is counted of locks: of all locks of a client together, and of each that the user wants to be
// counted by itself.
#pragma once

#include "observe/counter.h"

#include <pawl/error.h>
#include <pawl/event.h>
#include <pawl/metrics.h>

namespace pawl::observe {

struct lock_counters {
    // Callers that pass a lock on inside this process, or take one that lingers, can do so more than
    // a million times per second. They hold the mutex of the client's lease_keeper when they count,
    // and call add_alone() only.
    struct alignas(64) inside_process {
        counter passed_on;
        counter lingered;
        duration_counter wait;
        duration_counter hold;  // of those that are passed on, or go on to linger
    };
    inside_process inside;

    // Any thread.
    alignas(64) counters_by<grant_way, grant_way::woken> granted;
    counters_by<errc, errc::no_quorum> not_granted;
    duration_counter wait;
    duration_counter hold;
    duration_counter hand_over;
    counter queues_joined;
    counter waiters_seen;
    greatest longest_queue;
    counter renewals_sent;

    // Under the mutex of the lease_keeper.
    counters_by<cause, cause::broken> losses;
    counter jeopardies;
    counter recoveries;
    counter lost_in_jeopardy;
    counter renewals_done;
    counter renewals_failed;
    counter renewals_denied;
    duration_counter margin;

    [[nodiscard]] lock_metrics read() const;
};

// The sum of both.
[[nodiscard]] histogram read(const duration_counter& one);
[[nodiscard]] histogram read(const duration_counter& one, const duration_counter& other);

}  // namespace pawl::observe
