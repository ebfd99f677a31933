// All leases of a client: which is to be renewed when, which is in jeopardy, which is lost.
//
//   added ──▶ held ⇄ jeopardy ──▶ lost
//               └───────┴──────▶ released
//
// A lease leaves the table when it is lost or released; an answer that comes later finds it over and
// changes nothing. The table is told the time, and has no thread, lock or clock of its own: its owner
// sees to it that one call runs at a time.
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "core/lease.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pawl::core {

using lease_ptr = std::shared_ptr<lease>;

// A lease changed its state.
struct transition {
    lease_ptr which;
    hold_state from{};
    hold_state to{};
    cause why{};
    std::string detail;
};
using transitions = std::vector<transition>;

class lease_table {
public:
    lease_table(double drift, std::chrono::milliseconds command_limit, base::random_unit random)
        : drift_{drift}, command_limit_{command_limit}, random_{std::move(random)}
    {
    }

    // A lease was granted to a request sent at `sent`.
    void add(const lease_ptr& lease, base::boot_time sent);

    // It is being given back: from here on it is neither renewed nor lost. False if it is over.
    bool release(const lease_ptr& lease, transitions& out);

    // The server said that it now lasts `length` from a request sent at `sent`.
    void extended(const lease_ptr& lease, std::chrono::milliseconds length, base::boot_time sent,
                  transitions& out);

    // The server said that it is not ours.
    void lose(const lease_ptr& lease, cause why, const std::string& detail, transitions& out);

    // When expire() or take_due() next has something to do; boot_time::max() if never.
    [[nodiscard]] base::boot_time next_wake() const noexcept;

    // Those whose deadline has passed are lost; those whose renewal is overdue are in jeopardy, and
    // will be renewed again; those that are to be renewed now are due.
    void expire(base::boot_time now, transitions& out);

    // Some that are due, and others along with them that will be soon: on_renewal() gets the answers.
    // None if so many are under way already, and not yet overdue: a million of them in one go would
    // keep everyone else from the server for seconds, and the last answers would come too late.
    [[nodiscard]] std::vector<lease_ptr> take_due(base::boot_time now, std::size_t most);
    static constexpr std::size_t most_under_way = 4'000;

    // The answer to a renewal that was sent at `sent`, however late: what counts is when it was sent.
    void on_renewal(const lease_ptr& lease, const hold_reply& got, base::boot_time sent,
                    base::boot_time now, transitions& out);

    // The client goes: everything that is left is lost.
    void close(transitions& out);

    [[nodiscard]] std::vector<lease_ptr> all() const;
    [[nodiscard]] std::size_t size() const noexcept { return by_wake_.size(); }

private:
    [[nodiscard]] base::boot_time first_wake() const noexcept;
    void schedule(const lease_ptr& lease);
    void no_longer_under_way(lease& lease) noexcept;
    void move_to(const lease_ptr& lease, hold_state to, cause why, std::string detail,
                 transitions& out);
    void on_renewal_failed(const lease_ptr& lease, const failure& got, base::boot_time now,
                           transitions& out);

    double drift_;
    std::chrono::milliseconds command_limit_;
    base::random_unit random_;
    // By number and not by address: what happens at the same time happens in the same order in every
    // run, so that the simulator can repeat one.
    struct wakes_before {
        bool operator()(const lease_ptr& one, const lease_ptr& other) const noexcept
        {
            return std::pair{one->wake, one->number} < std::pair{other->wake, other->number};
        }
    };
    std::set<lease_ptr, wakes_before> by_wake_;
    std::deque<lease_ptr> due_;   // and some that are not any more
    base::boot_time last_due_{};  // when something last became so
    std::size_t under_way_ = 0;   // how many are
    std::uint64_t last_number_ = 0;
};

// How long the answer to a renewal of a lease may take before it is overdue.
[[nodiscard]] std::chrono::milliseconds renewal_limit(std::chrono::milliseconds lease,
                                                      std::chrono::milliseconds command_limit);

}  // namespace pawl::core
