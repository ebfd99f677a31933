// One round of one contender: starts the workers, lets them run for a while, and counts.
#pragma once

#include "all_counts.h"
#include "contender.h"
#include "workload.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace pawl::bench {

// A figure that was not measured. Tables and data leave it out.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct durations {
    double p50_us = unknown;
    double p99_us = unknown;
    double max_us = unknown;
};

struct round_result {
    double seconds = 0;
    // The grants of each thread within the seconds; for a peer, of each process.
    std::vector<std::uint64_t> grants{};
    double hand_offs = unknown;
    server_load load{};
    double client_cpu_us = unknown;
    durations wait{};
    durations cycle{};
    durations hand_off{};
    durations round_trip{};
};

class round {
public:
    // All must outlive it.
    round(const workload& what, contender kind, std::string url, all_counts& server)
        : what_{what}, kind_{kind}, url_{std::move(url)}, server_{server}
    {
    }

    // Warms up, and learns which commands clients send.
    [[nodiscard]] sent_by_clients listen(std::chrono::milliseconds how_long);

    // Throws if a worker fails or is stuck, with its output, or if two holders were inside at once.
    [[nodiscard]] round_result measure(std::chrono::milliseconds how_long,
                                       const sent_by_clients& sent);

private:
    const workload& what_;
    contender kind_;
    std::string url_;
    all_counts& server_;
};

}  // namespace pawl::bench
