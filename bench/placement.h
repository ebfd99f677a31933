// On which processors everything runs: the server, the workers and whoever measures.
#pragma once

namespace pawl::bench {

// From now on this process and all that it starts share one processor, the last of those that it may
// use: the first is where machines have their interrupts. Throws when that is not allowed.
void pin_to_one_processor();

}  // namespace pawl::bench
