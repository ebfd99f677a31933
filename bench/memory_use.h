// How much memory this process uses.
#pragma once

namespace pawl::bench {

struct memory_use {
    double resident =
        0;  // bytes, as the system counts: whole pages, with what malloc keeps in hand
    double allocated = 0;  // bytes, as malloc counts: what was asked for and not given back
};

// Gives back to the system what malloc has in hand, and then looks.
[[nodiscard]] memory_use look_at_memory();

}  // namespace pawl::bench
