// The pauses of a waiter that this client cannot tell of a grant, so that it asks again and again.
#pragma once

#include "base/random.h"

#include <algorithm>
#include <chrono>

namespace pawl::core {

class poll_pauses {
public:
    // A random part of `longest`, from the half of it on. If they grow, the pauses start at 2 ms and
    // double up to `longest`: the client can probably hear of a grant soon.
    [[nodiscard]] std::chrono::nanoseconds next(std::chrono::milliseconds longest, bool grow,
                                                const base::random_unit& random)
    {
        constexpr std::chrono::milliseconds first{2};
        if (grow) longest = std::min(longest, first * (1U << std::min(in_a_row_++, 10U)));
        return std::chrono::duration_cast<std::chrono::nanoseconds>(longest *
                                                                    (0.5 + 0.5 * random()));
    }

    // The client can hear of a grant again.
    void reset() noexcept { in_a_row_ = 0; }

private:
    unsigned in_a_row_ = 0;
};

}  // namespace pawl::core
