// What this client knows of the nodes of a quorum: whether each answers, how fast, which server it is, and what its
// clock shows. All claims of the client share it.
//
// From the clocks of all nodes it makes two numbers. Both follow the greatest clock that was heard of, so that all
// clients get nearly the same ones, and nodes that answer one proposal answer with one number:
//
//   proposal   the number that a vote should have
//   ticket     the place of a new waiter in the order of all waiters
#pragma once

#include "base/clock.h"
#include "base/mutant.h"
#include "core/failure.h"
#include "core/quorum/node_clock.h"
#include "core/vote.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl::core::quorum {

// How long a node that may have forgotten votes does not vote: every lease that began before has ended then.
[[nodiscard]] std::chrono::milliseconds quarantine(std::chrono::milliseconds longest_lease,
                                                   double drift);

struct node {
    std::string shown;  // the address, for messages
    node_clock clock;
    std::optional<std::chrono::microseconds> latency{};  // smoothed
    // Its wall clock minus that of this machine, at its last answer.
    std::optional<std::chrono::microseconds> clock_difference{};
    std::string run_id{};             // of the last connection
    bool duplicate = false;           // it is the same server as a node before it
    base::boot_time stepped_until{};  // until then its votes do not count: its clock was stepped
    base::boot_time quarantined_until{};  // as it said itself
    bool answered = false;                // a request was ever answered
    std::optional<failure> problem{};     // of the last request, if it failed
};

// What users should know of a node.
struct node_warning {
    enum class about { clock_step, same_server };
    about what;
    std::string node;  // as in node::shown
    std::string text;
};

class nodes {
public:
    // `quarantine`: how long the votes of a node do not count after its clock was stepped.
    nodes(std::vector<std::string> shown, double drift, std::chrono::milliseconds quarantine);

    [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(all_.size()); }
    [[nodiscard]] unsigned majority() const noexcept
    {
        const bool mutant = base::is(base::mutant::d6_majority_of_reachable);
        return (mutant ? reachable() : size()) / 2 + 1;
    }
    [[nodiscard]] double drift() const noexcept { return drift_; }
    [[nodiscard]] const node& operator[](unsigned index) const { return all_[index]; }

    // ── What happened ───────────────────────────────────────────────────────────────────────────

    void answered(unsigned index, node_time then, base::boot_time sent, base::boot_time now);
    void answered_without_time(unsigned index, base::boot_time sent, base::boot_time now);
    // After answered(): the wall clock of this machine shows `wall` at `now`.
    void compare_clock(unsigned index, node_time then, base::boot_time sent, base::boot_time now,
                       node_time wall);
    void failed(unsigned index, const failure& why);
    void connected(unsigned index, const std::string& run_id);
    void quarantined(unsigned index, std::chrono::milliseconds left, base::boot_time now);

    // A number that some node has given. Later proposals are greater.
    void seen(std::uint64_t number) noexcept;

    [[nodiscard]] std::vector<node_warning> take_warnings();

    // ── What follows ────────────────────────────────────────────────────────────────────────────

    // Whether the node is a server of its own. A vote of another one is a second copy of the same vote.
    [[nodiscard]] bool is_counted(unsigned index) const { return !all_[index].duplicate; }

    // Whether a vote of the node may be counted for a new hold.
    [[nodiscard]] bool may_elect(unsigned index, base::boot_time now) const;

    // 0 before a clock was heard of.
    [[nodiscard]] std::uint64_t proposal(base::boot_time now) const;
    [[nodiscard]] ticket new_ticket(base::boot_time now) const;

    // How long the answer of a node is waited for, if the others can decide without it.
    [[nodiscard]] std::chrono::microseconds limit(std::chrono::milliseconds lease) const;

    // The round trip to the slowest node of the fastest majority.
    [[nodiscard]] std::chrono::microseconds round_trip() const;

private:
    [[nodiscard]] unsigned reachable() const noexcept;
    [[nodiscard]] std::optional<node_time> greatest_clock(base::boot_time now) const;
    void find_duplicates();

    std::vector<node> all_;
    double drift_;
    std::chrono::milliseconds quarantine_;
    std::uint64_t last_number_ = 0;
    std::vector<node_warning> warnings_;
};

}  // namespace pawl::core::quorum
