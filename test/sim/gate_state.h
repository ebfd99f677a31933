// The state of a latch or barrier at the server. src/scripts/parts/gate.lua describes the hash.
#pragma once

#include "sim/server.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace pawl::sim {

struct gate_state {
    bool is_barrier = false;
    std::uint64_t made_for = 0;
    std::uint64_t expected = 0;  // in the present phase, or from the next one on
    std::uint64_t left = 0;      // how many arrivals are missing
    std::uint64_t phase = 0;
    std::uint64_t first = 0;  // the phase with which it was made
    std::map<std::string, std::uint64_t, std::less<>>
        arrived;                                 // the last number of each participant
    std::set<std::string, std::less<>> refused;  // those whose last arrival was refused

    // Whether a waiter need not wait: of a latch, or of this phase of a barrier.
    [[nodiscard]] bool is_over(std::uint64_t waited_for) const noexcept
    {
        return is_barrier ? waited_for < phase : left == 0;
    }
    [[nodiscard]] std::string describe() const;
};

// Nothing if the server does not have it.
[[nodiscard]] std::optional<gate_state> read_gate(server& where, std::string_view name);

}  // namespace pawl::sim
