// Plain commands that operators send to the servers of a store, outside of the protocol, and what comes back.
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "redis/handshake.h"
#include "redis/resp.h"
#include "redis/scripts.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

using command = std::vector<std::string>;

// A call of a script of pawl, sent with its text. Each server gets the form that it understands.
struct script_question {
    const redis::script* which;
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
};

// What one server is asked: the commands are sent in one write. After a broken connection they may be sent once more, so
// none of them may do harm when it is executed twice. With a script they are sent only once.
struct server_question {
    std::string server;  // one of store::servers()
    std::vector<command> commands;
    std::optional<script_question> script{};  // after the commands

    [[nodiscard]] bool is_empty() const noexcept { return commands.empty() && !script; }
};

struct command_reply {
    std::optional<core::failure> problem{};  // the reply is an error
    // None if there is no value. The elements of an array, and of arrays in it, one after another; one that is null is
    // empty.
    std::vector<std::string> texts{};
};

// What one server said.
struct server_answer {
    std::optional<core::failure> problem{};  // it did not answer
    std::vector<command_reply> replies{};    // in the order of the commands
    base::boot_time sent{};
    base::boot_time received{};

    // Why it did not answer, or did not execute one of the first `count` commands. Nothing if it did.
    [[nodiscard]] std::optional<core::failure> problem_in_first(std::size_t count) const;
    [[nodiscard]] std::optional<core::failure> any_problem() const
    {
        return problem_in_first(replies.size());
    }
};

// The servers of a store, by their addresses without passwords; or why they are not known.
struct server_list {
    std::vector<std::string> names{};
    std::optional<core::failure> problem{};
};

[[nodiscard]] command_reply read_command_reply(const redis::reply_view& reply);

// Returns how many there are.
unsigned append(std::string& out, const server_question& what, const redis::server_facts& server);

// The answer for a server that the store does not have, or has no more.
[[nodiscard]] server_answer no_such_server(std::string_view name);

}  // namespace pawl::store
