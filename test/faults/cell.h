// One cell of the table: workers take locks on servers of one topology while one fault strikes
// again and again.
#pragma once

#include "faults/fault.h"
#include "faults/network.h"
#include "faults/rig.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace pawl::faults {

struct campaign_options {
    std::chrono::milliseconds cell_time{6'000};  // it ends with the fault that is under way then
    std::chrono::milliseconds lease{1'000};
    std::size_t workers = 4;
    defect wrong = defect::none;  // of the workers
    std::string porcupine{};      // the checker; empty: none
    clock_tools stepping{};       // empty: no clock steps
    network* net = nullptr;
};

struct cell_result {
    row where;
    const fault* what;
    std::string not_run{};  // why; empty if it ran

    std::chrono::milliseconds time{0};  // from the first fault to the end
    std::uint64_t strikes = 0;
    std::uint64_t grants = 0;  // in that time
    std::uint64_t lost = 0;
    std::uint64_t refused_writes = 0;
    std::uint64_t failed_calls = 0;
    std::chrono::milliseconds longest_stall{0};
    std::chrono::milliseconds slowest_return{0};  // from the end of a fault until all went on

    std::uint64_t failovers = 0;      // that the campaign did not cause: the machine was too busy
    std::uint64_t too_many = 0;       // more holders than allowed at one time
    std::uint64_t refused_valid = 0;  // the register refused a holder that was still valid
    std::uint64_t old_readers = 0;    // a reader with the fence of an older writer than the last
    std::uint64_t in_calm = 0;        // too many, or an old reader, between faults
    std::uint64_t bad_fences = 0;     // a later grant without a greater fence
    std::uint64_t lost_updates = 0;   // increments that another one overwrote
    std::uint64_t wrong_gates = 0;    // latches and phases that were over before all had arrived
    std::uint64_t late = 0;           // someone did not go on in time
    std::uint64_t unreported = 0;     // clock steps of a quorum's node that no worker reported
    std::uint64_t died = 0;           // workers that crashed
    std::string history{};            // what the checker says
    bool history_bad = false;

    std::string left_out{};  // kinds of locks
    std::string detail{};    // for a violation: who waited, what the workers wrote

    [[nodiscard]] std::uint64_t grants_per_second() const;

    // Whether one holder at a time is promised during the faults. If not, a reader may also have an old
    // fence: the last writer is forgotten with its grant. Between the faults both are promised.
    [[nodiscard]] bool one_holder_promised() const;

    // Whether fences grow, so that the register loses no update.
    [[nodiscard]] bool fences_promised() const;

    // Whether arrivals at latches and barriers are kept. Replicas do not acknowledge them.
    [[nodiscard]] bool gates_promised() const;

    [[nodiscard]] std::uint64_t two_holders() const;  // what shows that there were
    [[nodiscard]] std::uint64_t promised_violations() const;
    [[nodiscard]] std::uint64_t other_violations() const;
};

// How long it may take until every worker has every lock again, without the fault's own time.
[[nodiscard]] std::chrono::milliseconds usual_bound(const campaign_options& options);

[[nodiscard]] cell_result run_cell(row where, const fault& what, const campaign_options& options,
                                   std::uint64_t seed);

// Adds up the results of the same cell with another seed.
void add(cell_result& total, const cell_result& more);

}  // namespace pawl::faults
