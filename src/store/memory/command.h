// The commands, and their properties.
#pragma once

#include "store/memory/machine.h"
#include "store/memory/reply.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace pawl::store::memory {

struct call {
    machine& server;
    session from;
    std::span<const std::string_view> words;
    reply& out;
};

struct command {
    // As in Redis: at least this many words if negative, exactly this many otherwise. The name
    // counts.
    using word_count = int;

    enum trait : unsigned {
        reads = 0,
        writes = 1,        // refused in scripts with the flag no-writes
        tells_others = 2,  // reaches other clients: refused there too
        deny_oom = 4,      // refused when memory is full
        no_script = 8,     // refused in scripts
        container = 16,    // has subcommands, and is not a command itself
        runs_script = 32,  // refused by a replica, as are writes
    };

    std::string_view name;  // in lower case; for a subcommand, container|name
    word_count arity;
    unsigned traits;
    void (*run)(call&);

    [[nodiscard]] bool is(trait wanted) const noexcept { return (traits & wanted) != 0; }
    [[nodiscard]] bool takes(std::size_t words) const noexcept;
};

// The command of these words, or null. For a container with further words, it is the subcommand.
[[nodiscard]] const command* find_command(std::span<const std::string_view> words) noexcept;

// Whether the first word is a container. Then the subcommand is the unknown word.
[[nodiscard]] bool is_container(std::string_view word) noexcept;

// The commands of each file.
[[nodiscard]] std::span<const command> hash_commands() noexcept;
[[nodiscard]] std::span<const command> key_commands() noexcept;
[[nodiscard]] std::span<const command> list_commands() noexcept;
[[nodiscard]] std::span<const command> server_commands() noexcept;
[[nodiscard]] std::span<const command> script_commands() noexcept;
[[nodiscard]] std::span<const command> sorted_set_commands() noexcept;
[[nodiscard]] std::span<const command> string_commands() noexcept;

}  // namespace pawl::store::memory
