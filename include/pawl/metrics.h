// What client::metrics() returns: how often, and how long, since the client was made.
//
//   const pawl::metrics now = client.metrics();
//   std::cout << now.all.granted.total() << " of " << now.all.attempts() << " attempts, "
//             << now.all.wait.quantile(0.99).count() << " ns\n";
//
// The types are plain values: a snapshot that nothing changes any more. Counters only grow, so the
// difference of two snapshots is what happened between them. docs/metrics.md lists all figures, with
// what each of them counts exactly.
//
// No function of this header makes a round trip, fails, or waits, and any thread may call it as long
// as no other thread changes the same object.
#pragma once

#include <pawl/error.h>
#include <pawl/event.h>
#include <pawl/export.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

// How a caller got a lock.
enum class grant_way {
    free,         // the server granted it to the request
    handed_over,  // the server handed it over to the caller's place in the queue
    passed_on,  // another caller of this client released it while this one, or one before it, waited
    lingered,   // nobody had it, but this client had kept it since its last release
    joined,     // a reader of a shared_mutex, which shares the lease of another one of this client
    re_entered,  // a thread that had the recursive_mutex already
    changed,     // a reader of a shared_mutex became the writer, or the writer a reader
    woken,       // a wait for a condition has ended, and the waiter has the lock again
};

// Returns the way in words, for example "handed over".
[[nodiscard]] PAWL_EXPORT std::string_view to_string(grant_way how) noexcept;

// A number for each value of an enumeration, from 0 to `Last`.
template <class Key, Key Last>
class counts_by {
public:
    [[nodiscard]] static constexpr std::size_t size() noexcept
    {
        return static_cast<std::size_t>(Last) + 1;
    }
    [[nodiscard]] std::uint64_t operator[](Key which) const noexcept
    {
        return counts_[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] std::uint64_t& operator[](Key which) noexcept
    {
        return counts_[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] std::uint64_t total() const noexcept
    {
        return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    }

    bool operator==(const counts_by&) const = default;

private:
    std::array<std::uint64_t, static_cast<std::size_t>(Last) + 1> counts_{};
};

// How often each duration occurred. The buckets grow with the duration: eight to each doubling. So
// what is read back from them is at most 12.5 % too large.
struct PAWL_EXPORT histogram {
    struct bucket {
        std::chrono::nanoseconds up_to{};  // the longest duration of the bucket; max(): no limit
        std::uint64_t count{};

        bool operator==(const bucket&) const = default;
    };
    std::vector<bucket> buckets{};   // the shortest first, without those that are empty
    std::uint64_t count{};           // of all
    std::chrono::nanoseconds sum{};  // of all durations, exact

    // The mean of all. 0 if there are none.
    [[nodiscard]] std::chrono::nanoseconds mean() const noexcept;

    // The duration that this share of all (0 to 1) does not exceed. 0 if there are none.
    [[nodiscard]] std::chrono::nanoseconds quantile(double share) const noexcept;

    // How many did not last longer than this. Those that are in the same bucket as the limit are
    // counted only if the limit is the end of the bucket.
    [[nodiscard]] std::uint64_t count_up_to(std::chrono::nanoseconds limit) const noexcept;

    bool operator==(const histogram&) const = default;
};

// Renewals by the client itself, one for each lease in a request. The rest of `sent` is under way, or its
// answer had no meaning any more: the hold was released or lost meanwhile, or it was being changed.
struct renewal_metrics {
    std::uint64_t sent{};
    std::uint64_t done{};    // the lease began anew
    std::uint64_t failed{};  // there was no answer, or an error
    std::uint64_t denied{};  // another holder had the lock, or none: the hold is lost

    bool operator==(const renewal_metrics&) const = default;
};

// The server's queues, as callers saw them when they joined one. A caller that joins again, because
// it had lost its place, counts again. Not on a quorum: its nodes do not say it.
struct PAWL_EXPORT queue_metrics {
    std::uint64_t joined{};   // how often a caller joined one
    std::uint64_t waiters{};  // in these queues then, itself included: the sum of all
    std::uint64_t longest{};  // the longest of these queues

    // The mean length that callers saw. 0 if none joined.
    [[nodiscard]] double mean() const noexcept;

    bool operator==(const queue_metrics&) const = default;
};

// What happened to locks: to all of a client, or to one of client_options::measured_locks. Waits at
// a latch, at a barrier or for another leader are not counted, because they give nothing to hold.
struct PAWL_EXPORT lock_metrics {
    counts_by<grant_way, grant_way::woken> granted{};

    // Calls that ended without the lock: busy, timed_out, cancelled, and errors.
    counts_by<errc, errc::no_quorum> not_granted{};

    // Holds that were lost, without those that linger.
    counts_by<cause, cause::broken> losses{};

    std::uint64_t jeopardies{};        // holds that came into jeopardy
    std::uint64_t recoveries{};        // of these, how many were renewed after all
    std::uint64_t lost_in_jeopardy{};  // and how many were lost

    queue_metrics queue{};
    renewal_metrics renewals{};

    histogram wait{};  // from the call to the grant; not of `re_entered`, `changed` and `woken`
    histogram hold{};  // from the grant until its last hold was released, or gone after a loss
    histogram hand_over{};  // from the hand-over at the server until the caller had the lock
    histogram margin{};     // what was left of a lease when it was renewed

    // Calls that asked for a lock and have ended: all of `granted` and `not_granted`, except the
    // ways `changed` and `woken`.
    [[nodiscard]] std::uint64_t attempts() const noexcept;

    // Grants whose last hold has not left yet. Those that were lost and not released count too.
    [[nodiscard]] std::uint64_t held() const noexcept;

    bool operator==(const lock_metrics&) const = default;
};

// Requests to the servers. Those of a quorum go to each node.
struct request_metrics {
    std::uint64_t sent{};
    std::uint64_t failed{};  // no answer, or no connection to send it on
    histogram round_trip{};  // of those that were answered: from writing the request to its answer

    bool operator==(const request_metrics&) const = default;
};

// Connections to servers and sentinels. All are 0 with a memory server, which has none.
struct connection_metrics {
    std::uint64_t opened{};
    std::uint64_t ended{};       // of these
    std::uint64_t failed{};      // attempts that did not lead to a connection
    std::uint64_t reconnects{};  // of `opened`: to replace a shared connection that had ended
    std::uint64_t bytes_sent{};
    std::uint64_t bytes_received{};

    // How many are open now.
    [[nodiscard]] std::uint64_t open() const noexcept
    {
        return opened > ended ? opened - ended : 0;
    }

    bool operator==(const connection_metrics&) const = default;
};

struct metrics {
    lock_metrics all{};                           // of all locks of this client
    std::map<std::string, lock_metrics> locks{};  // of client_options::measured_locks, by name
    request_metrics requests{};
    connection_metrics connections{};

    std::uint64_t leases{};   // locks that the server has for this client now, idle ones too
    std::uint64_t waiters{};  // callers that have, or want, a place in a server's queue now
    bool listening{};         // whether this client hears of hand-overs now

    bool operator==(const metrics&) const = default;
};

}  // namespace pawl
