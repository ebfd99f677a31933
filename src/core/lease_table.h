// All leases of a client: when each is renewed, which are in jeopardy, and which are lost.
//
//   added ──▶ held ⇄ jeopardy ──▶ lost
//               └───────┴──────▶ released
//
// A lease ends at its deadline, or earlier if its hold has lasted for longest_hold. It is not renewed beyond
// that time. If it has a heartbeat and its holder gives no sign of progress, it is not renewed either: it is in
// jeopardy from the time of the renewal that is left out. It is renewed as soon as the holder goes on.
//
// A lease leaves the table when it is lost or released. An answer that comes after that changes nothing.
// The table is told the time. It has no thread, lock or clock: its owner must make one call at a time.
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

    // A lease was granted to a request sent at `sent`. If it has a deadline already, the later one counts.
    void add(const lease_ptr& lease, base::boot_time sent);

    // The lease is being given back. From now on it is neither renewed nor lost. Returns false if it was
    // already lost or released.
    bool release(const lease_ptr& lease, transitions& out);

    // The server said that the lease now lasts `length`, counted from a request sent at `sent`.
    void extended(const lease_ptr& lease, std::chrono::milliseconds length, base::boot_time sent,
                  transitions& out);

    // No caller has the lock any more, but the lease goes on.
    void rest(const lease_ptr& lease);

    // Another hold has it from now on, with this fence. Its time begins anew.
    void pass_on(const lease_ptr& lease, std::uint64_t fence, base::boot_time now);

    // The server said that the lease is not ours. The cause says it all: the answer has no detail.
    void lose(const lease_ptr& lease, cause why, transitions& out, std::string detail = {});

    // When expire() or take_due() next has work; boot_time::max() if never.
    [[nodiscard]] base::boot_time next_wake() const noexcept;

    // A lease whose deadline has passed is lost. A lease whose renewal is overdue is in jeopardy, and the
    // renewal will be tried again. A lease whose time to be renewed has come is due: see take_due(). If its
    // holder gives no sign of progress, it is in jeopardy instead.
    void expire(base::boot_time now, transitions& out);

    // Returns up to `most` leases to renew now: leases that are due, and with them some that will be due
    // soon. Pass the answers to on_renewal(). At most `most_under_way` renewals are under way and not
    // overdue at a time: a million renewals at once would block the server for seconds, and the last
    // answers would come too late.
    [[nodiscard]] std::vector<lease_ptr> take_due(base::boot_time now, std::size_t most);
    static constexpr std::size_t most_under_way = 4'000;

    // All leases are due at once: the store may have lost some of them.
    void renew_soon(base::boot_time now);

    // The answer to a renewal to `length` that was sent at `sent`. It may be late: the lease counts from
    // `sent`.
    void on_renewal(const lease_ptr& lease, const hold_reply& got, std::chrono::milliseconds length,
                    base::boot_time sent, base::boot_time now, transitions& out);

    // The client is being closed: all leases that are left are lost.
    void close(transitions& out);

    [[nodiscard]] std::vector<lease_ptr> all() const;
    [[nodiscard]] std::size_t size() const noexcept { return by_wake_.size(); }

private:
    [[nodiscard]] base::boot_time first_wake() const noexcept;
    void schedule(const lease_ptr& lease);
    void restart(lease& lease, std::chrono::milliseconds length, base::boot_time sent) const;
    // `barely` is null if the answer does not say so.
    void on_renewed(const lease_ptr& lease, const bare_majority* barely, transitions& out);
    void no_longer_under_way(lease& lease) noexcept;
    void move_to(const lease_ptr& lease, hold_state to, cause why, std::string detail,
                 transitions& out);
    void renew_later(const lease_ptr& lease, base::boot_time now);
    void begin_hold(lease& lease, base::boot_time now) noexcept;
    void try_again_later(const lease_ptr& lease, base::boot_time now);
    void leave_out(const lease_ptr& lease, base::boot_time now, transitions& out);
    void on_renewal_failed(const lease_ptr& lease, const failure& got, base::boot_time now,
                           transitions& out);

    double drift_;
    std::chrono::milliseconds command_limit_;
    base::random_unit random_;
    // Leases with the same time are ordered by number, not by address. So the order is the same in every
    // run, and the simulator can repeat a run.
    struct wakes_before {
        bool operator()(const lease_ptr& one, const lease_ptr& other) const noexcept
        {
            return std::pair{one->wake, one->number} < std::pair{other->wake, other->number};
        }
    };
    std::set<lease_ptr, wakes_before> by_wake_;
    std::deque<lease_ptr> due_;   // may contain leases that are not due any more
    base::boot_time last_due_{};  // when a lease last became due
    std::size_t under_way_ = 0;   // number of renewals under way, without those that are overdue
    std::uint64_t last_number_ = 0;
};

// How long the answer to the renewal of a lease may take before the renewal is overdue.
[[nodiscard]] std::chrono::milliseconds renewal_limit(std::chrono::milliseconds lease,
                                                      std::chrono::milliseconds command_limit);

}  // namespace pawl::core
