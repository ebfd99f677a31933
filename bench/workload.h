// The workloads: what the processes do, which contenders are compared, and which figures are shown.
#pragma once

#include "contender.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace pawl::bench {

enum class pattern {
    one_lock,     // all threads lock and unlock the same lock, again and again
    take_over,    // one uses the lock and idles, then the other asks for it; and so on
    free_locks,   // each thread locks and unlocks its own locks, one after the other
    in_flight,    // many cycles at once from one thread; several processes share the locks
    release_all,  // many threads wait for a latch, and all of them are released at once
    notify,       // two processes wait for each other with a condition
};

// What is locked where the contender does not say it.
enum class subject { mutex, permits };

// The figures of a round. metric.cpp describes them.
enum class metric {
    grants_per_second,
    ns_per_grant,
    hand_offs_per_second,
    commands_per_grant,
    server_us_per_grant,
    server_cpu_us_per_grant,
    client_cpu_us_per_grant,
    fairness,
    cycle_p50,
    cycle_p99,
    wait_p50,
    wait_p99,
    wait_max,
    hand_off_p50,
    hand_off_p99,
    hand_off_max,
    round_trip_p50,
    wait_p50_in_round_trips,
    wait_p99_in_round_trips,
    last_released_p50,
    last_released_p99,
    each_released_p50,
};

inline constexpr std::int32_t any_number = std::numeric_limits<std::int32_t>::max();

struct entry {
    contender kind{};
    std::string_view title;
};

// A target for pawl: an absolute figure, or a ratio to another contender.
struct target {
    enum class bound { at_least, at_most };
    enum class against { nothing, reference, best_peer };

    contender who{};
    metric what{};
    bound which{};
    double value = 0;
    against compared_with = against::nothing;
    contender reference{};  // for `reference`
};

struct workload {
    std::string_view word;  // for --only and as a label
    std::string_view title;
    pattern what = pattern::one_lock;
    subject of = subject::mutex;
    unsigned processes = 1;
    unsigned threads = 1;               // of each process
    unsigned in_flight = 256;           // cycles at once, with the pattern of that name
    unsigned nodes = 1;                 // servers; more than one: a quorum of them
    std::chrono::microseconds hold{0};  // how long each grant is kept
    bool alternates = false;   // a process asks again only after the other one had the lock
    std::int32_t holders = 1;  // so many may hold the lock at the same time
    bool timed = true;         // clocks are read, which slows the fastest cycles down
    bool over_both = false;    // over TCP and a Unix socket, unless the user chose one
    std::vector<entry> entries{};
    std::vector<contender> references{};  // the other contenders are shown as multiples of these
    std::vector<metric> metrics{};        // the first one is compared
    std::vector<target> targets{};
    std::string_view peer_word{};  // the peers' word for it; empty if they do not take part
    std::vector<std::string_view> peer_variants{""};  // what follows that word
};

[[nodiscard]] const std::vector<workload>& all_workloads();

// Parts of all_workloads(): those of other kinds than mutexes, and those of a quorum.
[[nodiscard]] std::vector<workload> of_other_kinds();
[[nodiscard]] std::vector<workload> of_quorums();

// The title of an entry in the tables.
[[nodiscard]] std::string_view title_in(const workload& what, contender kind);

// nullptr if there is none.
[[nodiscard]] const workload* find_workload(std::string_view word);

}  // namespace pawl::bench
