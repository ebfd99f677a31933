// The dialogues that raw sockets speak: the one that pawl speaks, and the least there can be.
#pragma once

#include "dialogue.h"

#include <functional>
#include <string>

namespace pawl {
class client;
class mutex;
}  // namespace pawl

namespace pawl::bench {

// Of a lock that has been used before: connections are made by then, and scripts are known.
// `cycle` locks and unlocks, and returns when both are done.
[[nodiscard]] dialogue dialogue_of_pawl(const std::string& url,
                                        const std::function<void(mutex&)>& cycle);

// As above, with the blocking calls.
[[nodiscard]] dialogue dialogue_of_pawl(const std::string& url);

// SET NX PX, and a script that deletes what is still one's own. It has no fence, and nobody is told.
[[nodiscard]] dialogue least_dialogue(const std::string& url);

}  // namespace pawl::bench
