// How much memory this process uses.
#pragma once

namespace pawl::bench {

struct memory_use {
    // Bytes, as the system counts: whole pages, including free memory of malloc.
    double resident = 0;
    // Bytes, as malloc counts: allocated and not freed.
    double allocated = 0;
};

// Returns the free memory of malloc to the system, and then measures.
[[nodiscard]] memory_use look_at_memory();

}  // namespace pawl::bench
