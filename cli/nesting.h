// A `pawl run` somewhere in the command of another `pawl run`.
//
// PAWL_HOLDER in the environment names the holder of the run around this one, PAWL_OUTER_HOLDERS those
// of the runs around that. Whether they still hold anything is for the server to say: a process that
// the command left behind has them in its environment too.
#pragma once

#include <pawl/client.h>

#include <string>

namespace pawl::cli {

// Whether a run around this one holds the lock: it ends when this one has ended, so this one would
// wait for ever. One round trip for each run around this one. Throws pawl::error.
[[nodiscard]] bool is_held_around_here(client& client, const std::string& key);

// All of them with spaces between, the nearest first; empty if there are none.
[[nodiscard]] std::string outer_holders();

}  // namespace pawl::cli
