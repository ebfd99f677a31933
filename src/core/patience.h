// Patience: how long and how often an unanswered request is repeated. All tries and pauses together last no
// longer than the command limit.
//
// The first try gets a third of the command limit, but at least 100 ms. Its connection may be dead without
// our knowing, and then there must be time for another try. Later tries get all the time that is left: they
// make a new connection, which takes longer than the answer if the network is slow.
//
// The pauses grow, and are partly random, so that not all clients ask at once when a server comes back.
#pragma once

#include "base/clock.h"
#include "base/random.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace pawl::core {

// How long the server had not answered when a call ended.
struct silence {
    base::boot_time since{};

    // It did not answer for a whole command limit. If false, the caller gave up before that.
    bool out_of_patience = false;
};

class patience {
public:
    patience(std::chrono::milliseconds command_limit, const base::random_unit& random)
        : command_limit_{command_limit}, random_{&random}
    {
    }

    // A new request starts, or the server gave a sign of life.
    void restart(base::boot_time now) noexcept
    {
        end_ = now + command_limit_;
        tries_ = 0;
    }

    // Even a caller with less time waits this long for an answer.
    static constexpr std::chrono::milliseconds shortest_try{100};

    // When patience began, and when it is over.
    [[nodiscard]] base::boot_time since() const noexcept { return end_ - command_limit_; }
    [[nodiscard]] base::boot_time end() const noexcept { return end_; }

    // By when the answer to a try must arrive.
    [[nodiscard]] base::boot_time try_until(base::boot_time now) const noexcept
    {
        if (tries_ > 0) return end_;
        return std::min(end_, now + std::max(command_limit_ / 3, shortest_try));
    }

    // After a try without an answer: when to try again. Empty if it is time to give up.
    [[nodiscard]] std::optional<base::boot_time> next_try(base::boot_time now)
    {
        const auto ceiling = std::min(first_pause * (1U << std::min(tries_++, 6U)), longest_pause);
        const auto pause = std::chrono::duration_cast<std::chrono::nanoseconds>(
            ceiling * (0.5 + 0.5 * (*random_)()));
        if (now + pause >= end_) return std::nullopt;
        return now + pause;
    }

private:
    static constexpr std::chrono::milliseconds first_pause{10};
    static constexpr std::chrono::milliseconds longest_pause{500};

    std::chrono::milliseconds command_limit_;
    const base::random_unit* random_;
    base::boot_time end_{};
    unsigned tries_ = 0;
};

}  // namespace pawl::core
