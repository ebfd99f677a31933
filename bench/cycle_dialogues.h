// The dialogues for raw sockets: that of pawl, and the smallest possible one.
#pragma once

#include "dialogue.h"

#include <functional>
#include <string>

namespace pawl {
class client;
class mutex;
}  // namespace pawl

namespace pawl::bench {

// For a lock that has been used before: connections exist, and scripts are loaded. `cycle` locks
// and unlocks, and returns when both are done.
[[nodiscard]] dialogue dialogue_of_pawl(const std::string& url,
                                        const std::function<void(mutex&)>& cycle);

// The same, with the blocking calls.
[[nodiscard]] dialogue dialogue_of_pawl(const std::string& url);

// SET NX PX, and a script that deletes the key if it still has the same holder. No fence, no
// announcement.
[[nodiscard]] dialogue least_dialogue(const std::string& url);

// The same two for one permit of a semaphore. The least is that of permit_lock.
[[nodiscard]] dialogue dialogue_of_permits(const std::string& url, unsigned capacity);
[[nodiscard]] dialogue least_dialogue_of_permits(const std::string& url, unsigned capacity);

}  // namespace pawl::bench
