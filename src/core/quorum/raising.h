// The machine of one question about a hold: does a majority still have it, with a number that is at least this? It
// also sets numbers aside, and asks whether others wait.
#pragma once

#include "base/clock.h"
#include "core/quorum/nodes.h"
#include "core/quorum/outgoing.h"
#include "core/request.h"
#include "core/vote.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pawl::core::quorum {

class raise_machine {
public:
    struct effects {
        std::vector<outgoing> sends{};
        std::optional<raise_reply> answer{};
    };

    // `all` and what the request points to must outlive it. The caller wants an answer by `until`. Nodes in `avoided`
    // are not asked: a vote of this holder may still be given back there.
    raise_machine(const nodes& all, const raise_request& what, std::vector<bool> avoided,
                  base::boot_time until);

    void on_raise(unsigned node, const raise_reply& got, base::boot_time now);
    void on_time(base::boot_time now) { settle(now); }

    [[nodiscard]] effects take_effects() { return std::exchange(effects_, {}); }
    [[nodiscard]] base::boot_time wake() const noexcept
    {
        return over_ ? base::boot_time::max() : until_;
    }

private:
    void settle(base::boot_time now);

    const nodes* nodes_;
    std::vector<bool> avoided_;
    base::boot_time until_;
    std::vector<std::optional<raise_reply>> replies_;  // of each node
    bool over_ = false;
    effects effects_;
};

}  // namespace pawl::core::quorum
