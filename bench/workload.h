// The workloads: who does what, who is compared with whom, and what is told about it.
#pragma once

#include "contender.h"

#include <chrono>
#include <string_view>
#include <vector>

namespace pawl::bench {

enum class pattern {
    one_lock,    // everyone locks and unlocks the same, again and again
    take_over,   // one uses the lock and idles, then the other asks for it; and again
    free_locks,  // everyone locks and unlocks, each time another lock, which nobody else wants
    in_flight,   // the same from one thread, many at once; several processes want the same locks
};

// What a round says about a contender; what each is stands in metric.cpp.
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
};

struct entry {
    contender kind{};
    std::string_view title;
};

// What pawl shall reach: a figure of its own, or how many times somebody else's it is.
struct target {
    enum class bound { at_least, at_most };
    enum class against { nothing, reference, best_peer };

    contender who{};
    metric what{};
    bound which{};
    double value = 0;
    against whom = against::nothing;
    contender reference{};  // for `reference`
};

struct workload {
    std::string_view word;  // for --only and as a label
    std::string_view title;
    pattern what = pattern::one_lock;
    unsigned processes = 1;
    unsigned threads = 1;               // of each process
    std::chrono::microseconds hold{0};  // how long each grant is kept
    bool alternates = false;            // nobody asks again before another one had it
    bool timed = true;       // clocks are read, which takes a share of the fastest cycles
    bool over_both = false;  // unless the user says otherwise
    std::vector<entry> entries{};
    std::vector<contender> references{};  // the others are told as multiples of these
    std::vector<metric> metrics{};        // the first is the one that is compared
    std::vector<target> targets{};
    std::string_view peer_word{};  // how peers call it; empty: they take no part
};

[[nodiscard]] const std::vector<workload>& all_workloads();

// What its tables call one of its entries.
[[nodiscard]] std::string_view title_in(const workload& what, contender kind);

// nullptr if there is none.
[[nodiscard]] const workload* find_workload(std::string_view word);

}  // namespace pawl::bench
