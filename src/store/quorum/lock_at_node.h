// What a node of a quorum says of one lock, for operators: the commands that ask, and the figures in the replies.
#pragma once

#include "store/question.h"

#include <pawl/node.h>

#include <span>
#include <string_view>
#include <vector>

namespace pawl::store {

// Only read, and only with commands that every user of the quorum may send. They are not one step: the lock may change
// hands in between.
[[nodiscard]] std::vector<command> questions_about(std::string_view lock);

// The replies to these commands, in the same order.
[[nodiscard]] lock_at_node read_lock(std::span<const command_reply> said);

}  // namespace pawl::store
