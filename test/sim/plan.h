// The parameters of a run, drawn from its seed: each run has its own mix of faults, locks and load.
#pragma once

#include "sim/dice.h"
#include "sim/family.h"
#include "sim/fault.h"

#include <pawl/options.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl::sim {

// How a thread enters a lock. A writer of a shared mutex weighs as much as all readers that there can be.
struct way_in {
    std::uint64_t weight = 1;
    bool reads = false;
    // By an id of a striped_mutex: the lock to which the id belongs. The client must take this one.
    std::optional<std::size_t> stripe{};
};

// As in parts/census.lua.
constexpr std::uint64_t writer_weight = 1'000'000'000;

struct lock_plan {
    std::string name;
    enum class kind {
        mutex,
        recursive,
        fair,
        polling,
        striped,  // one stripe of a striped_mutex
        shared,
        readers_first,
        semaphore,
        set,
        leader,
        latch,
        barrier,
        once,
    };
    kind what = kind::mutex;
    layout how_stored = layout::plain;
    std::chrono::milliseconds linger{0};
    std::uint64_t capacity = 1;        // the weights that may be in at the same time
    std::vector<std::string> parts{};  // of a set: the names of its locks
    // Of a stripe: the name of the whole, the number of its stripes, and some ids that belong to this stripe.
    std::string whole{};
    std::size_t stripes = 0;
    std::vector<std::int64_t> ids{};
    unsigned expected = 1;  // a latch, a barrier: how many arrivals open it
    // Of a once_per:
    std::chrono::milliseconds period{0};
    bool aligned = false;
    bool retries = false;

    [[nodiscard]] std::vector<way_in> ways() const;
};

struct plan {
    std::uint64_t seed = 0;
    family kinds{};
    fault_set faults;

    std::vector<lock_plan> locks;
    unsigned processes = 0;
    unsigned threads = 0;  // in each process

    std::chrono::milliseconds lease{};  // approximate: each process has its own
    std::chrono::milliseconds poll_interval{};
    std::chrono::milliseconds command_limit{};
    double drift = 0;
    nanoseconds delay{};           // of a message, one way
    nanoseconds think{};           // between two attempts of a thread, on average
    nanoseconds work{};            // under the lock, on average
    nanoseconds length{};          // until the faults end
    std::uint64_t most_steps = 0;  // or until this many steps

    unsigned nodes = 1;  // more than one: the locks are on a quorum
    std::chrono::milliseconds longest_lease{};
    std::chrono::milliseconds quarantine{};

    [[nodiscard]] bool has(fault which) const
    {
        return faults.test(static_cast<std::size_t>(which));
    }
    [[nodiscard]] bool is_calm() const { return faults.none(); }

    // Whether answers may be missing, or a process may not run, for any time.
    [[nodiscard]] bool server_may_be_silent() const;

    // Whether a correct server always keeps a lease for its whole time.
    [[nodiscard]] bool leases_are_kept() const { return !has(fault::wild_drift); }
};

[[nodiscard]] inline std::chrono::milliseconds in_ms(nanoseconds value)
{
    using std::chrono::milliseconds;
    return std::max(std::chrono::duration_cast<milliseconds>(value), milliseconds{1});
}

[[nodiscard]] plan draw_plan(std::uint64_t seed, family kinds = family::exclusive);

// The locks of the family `exclusive` have been drawn. In some runs, a striped_mutex takes the place of the first one.
void draw_stripes(plan& drawn, dice dice);

// The locks of the family `members`.
void draw_members(plan& drawn, dice dice);

// The locks of the family `many`.
void draw_many(plan& drawn, dice dice);

// Leaders.
void draw_leaders(plan& drawn, dice dice);

// Locks on a quorum, the number of its nodes, and times that fit them.
void draw_quorum(plan& drawn, dice dice);

// A description of a few lines.
[[nodiscard]] std::string describe(const plan& what);

}  // namespace pawl::sim
