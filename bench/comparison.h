// The contenders of a workload, alternating in one run, so that what disturbs the machine disturbs
// all of them.
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
    std::string failure{};  // empty: none; else it takes no part in later rounds

    [[nodiscard]] bool is_peer() const { return kind == contender::peer; }

    // Nothing when it was not measured.
    [[nodiscard]] std::optional<summary> of(metric what) const;

    // How many times the other's figure this one's is, round by round.
    [[nodiscard]] std::optional<summary> compared_with(const contestant& other, metric what) const;
};

struct comparison {
    const workload* what = nullptr;
    std::string over;  // tcp or unix
    std::vector<contestant> contestants;

    [[nodiscard]] const contestant& find(contender kind) const;

    // Whether anyone failed. Peers do not count: that one cannot be had here is no fault of pawl's.
    [[nodiscard]] bool failed() const;
};

struct effort {
    // Many short rounds rather than few long ones: what disturbs a machine seldom lasts for a second,
    // and then it hits a few rounds, which the median leaves out.
    unsigned rounds = 9;
    std::chrono::milliseconds length{1'000};
};

// Where it takes place.
struct arena {
    std::string over;  // tcp or unix
    std::string url;
    std::uint16_t port = 0;
};

// Told what comes next.
using progress = std::function<void(const std::string&)>;

// A contender that fails is noted and left out from then on. Peers take part over TCP only; `peers`
// must be installed and outlive the call.
[[nodiscard]] comparison compare(const workload& what, const arena& where,
                                 const std::vector<peer>& peers, const effort& how_much,
                                 const progress& tell);

}  // namespace pawl::bench
