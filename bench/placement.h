// On which processors everything runs: the server, the workers and pawl_bench.
#pragma once

namespace pawl::bench {

// From now on this process and everything that it starts share one processor: the last one that it
// may use, because interrupts are often on the first. Throws if that is not allowed.
void pin_to_one_processor();

}  // namespace pawl::bench
