// What one process has seen, counted beside pawl: what its threads were told, the events that it got, and the renewals
// that its client sent. At the end of a run the client's metrics must say exactly the same.
#pragma once

#include <pawl/event.h>
#include <pawl/metrics.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

namespace pawl::sim {

struct own_count {
    std::uint64_t acquired =
        0;                    // calls that got a lock anew, or changed the side of a shared_mutex
    std::uint64_t woken = 0;  // waits for a condition that ended with the lock
    std::uint64_t re_entered = 0;
    counts_by<errc, errc::no_quorum> not_granted{};
    counts_by<cause, cause::bare_majority> losses{};
    std::uint64_t jeopardies = 0;
    std::uint64_t recoveries = 0;
    std::uint64_t lost_in_jeopardy = 0;
    renewal_metrics renewals{};

    // The outcome of a call that asked for a lock.
    void ended(std::error_code why);
    void heard(const event& what);

    // What the metrics say otherwise. Empty if they agree. No thread of the process may have a lock, or want one.
    [[nodiscard]] std::string difference(const metrics& found) const;
};

}  // namespace pawl::sim
