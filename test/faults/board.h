// What all processes of one cell share: a mapped file in which the workers check each other, and
// from which the campaign reads how they fare. It outlives a worker that is killed.
#pragma once

#include "faults/clock.h"
#include "faults/fenced_register.h"
#include "faults/kind.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pawl::faults {

// Workers of one cell, with those that took the place of killed ones.
inline constexpr std::size_t most_workers = 64;

// Whether a worker has a lock now. A worker counts as in only until `until`, its local deadline.
struct presence {
    std::atomic<std::uint64_t> entry;    // number of the visit
    std::atomic<nanoseconds_t> until;    // 0: not in
    std::atomic<std::uint32_t> reading;  // a reader of a shared_mutex
    std::atomic<std::uint64_t> calm;  // the calm period in which it was granted; 0: during a fault
};

// The runs of a once_per.
struct once_board {
    std::atomic<nanoseconds_t> last_begin;  // when the call began that got the last run
    std::atomic<std::uint64_t> last_calm;   // the calm period of that run, as in presence
};

// The rounds of a gate: one latch, or one phase of the barrier. Each needs an arrival of every worker.
struct gate_board {
    std::atomic<std::uint64_t> over;     // rounds that are over
    std::atomic<std::uint64_t> begun;    // arrivals, in all rounds
    std::atomic<std::uint64_t> counted;  // of them, by a latch that has said so
    std::atomic<std::uint64_t> wrong;    // opened before all had arrived, or counted more
};

// One lock or gate. There is one of each kind.
struct lock_board {
    std::atomic<std::uint32_t> left_out;  // this topology does not have this kind
    std::atomic<std::uint64_t> greatest_fence;
    std::atomic<nanoseconds_t>
        last_call;  // when the last call began that was granted, not to a reader
    std::atomic<nanoseconds_t> last_leave;
    std::atomic<nanoseconds_t> longest_stall;

    std::atomic<std::uint64_t> grants;
    std::atomic<std::uint64_t> lost;            // holds that were lost
    std::atomic<std::uint64_t> increments;      // of the register
    std::atomic<std::uint64_t> refused_writes;  // by the register: the fence was old

    // Violations. The last counts those of the others that concern one calm period only.
    std::atomic<std::uint64_t> too_many;       // more holders than allowed
    std::atomic<std::uint64_t> refused_valid;  // the register had the fence of a later writer
    std::atomic<std::uint64_t> old_readers;    // a later reader had a smaller fence
    std::atomic<std::uint64_t> bad_fences;     // a later grant to anyone else had no greater fence
    std::atomic<std::uint64_t> in_calm;

    fenced_register data;

    once_board once;                     // of the once_per
    gate_board gate;                     // of a latch or a barrier
    std::atomic<std::uint64_t> signals;  // of the condition: changed before each notification
};

struct worker_board {
    std::array<presence, kind_count> in;
    std::array<std::atomic<nanoseconds_t>, kind_count> last_grant;
    std::atomic<std::uint32_t> use_up_descriptors;  // set by the campaign
    std::atomic<std::uint32_t> descriptors_used_up;
};

struct board {
    std::atomic<std::uint32_t> stop;

    // The number of the calm period, from 1; 0 during a fault. A calm period begins when the servers
    // have recovered and each lock was granted since, and ends before the next fault. What was
    // granted in it cannot have been forgotten in it.
    std::atomic<std::uint64_t> calm;

    std::array<lock_board, kind_count> locks;
    std::array<worker_board, most_workers> workers;
    std::atomic<std::uint64_t> failed_calls;
    std::atomic<std::uint64_t> reported_steps;  // warnings that the clock of a node was stepped
};

// Raises `value` to at least `to`.
template <class T>
void raise(std::atomic<T>& value, T to) noexcept
{
    T seen = value.load();
    while (seen < to && !value.compare_exchange_weak(seen, to)) {
    }
}

}  // namespace pawl::faults
