// The contenders of a workload. They alternate in one run, so that disturbances of the machine
// affect all of them.
#pragma once

#include "metric.h"
#include "peer.h"
#include "round.h"
#include "workload.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pawl::bench {

struct contestant {
    contender kind{};
    std::string word;   // for data
    std::string title;  // for people
    std::vector<round_result> rounds{};
    std::string failure{};  // empty: none; otherwise it takes no part in later rounds

    [[nodiscard]] bool is_peer() const { return kind == contender::peer; }

    // Nothing if it was not measured.
    [[nodiscard]] std::optional<summary> of(metric what) const;

    // The ratio of this contestant's figure to the other's, round by round.
    [[nodiscard]] std::optional<summary> compared_with(const contestant& other, metric what) const;
};

struct comparison {
    const workload* what = nullptr;
    std::string over;  // tcp or unix
    std::vector<contestant> contestants;

    [[nodiscard]] const contestant& find(contender kind) const;

    // Whether a contender failed. Peers do not count: it is not a failure of pawl if one is not
    // available.
    [[nodiscard]] bool failed() const;
};

struct effort {
    // Many short rounds rather than few long ones. A disturbance of the machine seldom lasts for a
    // second, and then it affects a few rounds, which the median leaves out.
    unsigned rounds = 9;
    std::chrono::milliseconds length{1'000};
};

// The server, or the nodes of a quorum, and how they are reached.
struct arena {
    std::string over;                  // tcp or unix
    std::string url{};                 // of all of them, for a client
    std::vector<std::string> nodes{};  // the URL of each
    std::string ports{};               // of all of them, with commas between
};

// Called with a description of the next step.
using progress = std::function<void(const std::string&)>;

// If a contender fails, this is noted, and it takes no further part. Peers take part over TCP only.
// `peers` must be installed and must outlive the call.
[[nodiscard]] comparison compare(const workload& what, const arena& where,
                                 const std::vector<peer>& peers, const effort& how_much,
                                 const progress& tell);

}  // namespace pawl::bench
