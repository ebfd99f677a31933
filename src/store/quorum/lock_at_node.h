// What a node of a quorum says of one lock, for operators: the commands that ask, and the figures in the replies.
#pragma once

#include "core/failure.h"

#include <pawl/node.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

using command = std::vector<std::string>;

struct command_reply {
    std::optional<core::failure> problem{};  // the reply is an error
    // None if there is no value. An array has its elements one after another.
    std::vector<std::string> texts{};
};

// Only read, and only with commands that every user of the quorum may send. They are not one step: the lock may change
// hands in between.
[[nodiscard]] std::vector<command> questions_about(std::string_view lock);

// The replies to these commands, in the same order.
[[nodiscard]] lock_at_node read_lock(std::span<const command_reply> said);

// Whether a value without an expiry is a holder, by the rule of src/scripts/parts/busy.lua.
[[nodiscard]] bool looks_like_holder(std::string_view value) noexcept;

}  // namespace pawl::store
