// The memory that the processes of a kill test share. It outlives a process that is killed.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pawl::test::kill {

[[nodiscard]] inline std::int64_t now_ns()
{
    return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

// What one thread holds. A new process gets new claims, also if it takes the place of a killed one.
// So the claims of the killed stay in force until their leases have ended.
struct claim {
    // Until when the thread certainly holds its part, by its own clock. 0: it holds nothing.
    std::atomic<std::int64_t> until_ns;
    // What it holds. Each kind gives it a meaning. It changes only while until_ns is 0.
    std::atomic<std::uint64_t> part;
};

struct arena {
    static constexpr std::size_t most_claims = 4096;
    static constexpr std::size_t most_rounds = 65'536;

    std::atomic<bool> over;
    std::atomic<std::int64_t> turns;
    std::atomic<std::uint64_t> top_fence;
    std::array<claim, most_claims> claims;

    // For kinds that work in rounds: the present round; for each round, how many calls have
    // started, and how many of them the server has confirmed.
    std::atomic<std::size_t> round;
    std::array<std::atomic<std::uint32_t>, most_rounds> started;
    std::array<std::atomic<std::uint32_t>, most_rounds> confirmed;
};

// The parts that are certainly held at one moment, all of them at the same time.
[[nodiscard]] std::vector<std::uint64_t> held_parts(const arena& all);

// Whether one of these claims is in force.
[[nodiscard]] bool holds_anything(const arena& all, std::size_t first, std::size_t count);

// Says what is wrong if these parts are held at the same time. Empty if nothing is wrong.
using rule = std::function<std::string(const std::vector<std::uint64_t>& parts)>;

// For parts in which each bit stands for a thing that one holder at a time may have.
[[nodiscard]] std::string no_bit_twice(const std::vector<std::uint64_t>& parts);

}  // namespace pawl::test::kill
