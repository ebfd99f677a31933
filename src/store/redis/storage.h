// How an object is stored on a Redis server, and the scripts for each way.
#pragma once

#include "core/object.h"
#include "core/request.h"
#include "redis/scripts.h"
#include "store/redis/script_call.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::store {

enum class storage {
    plain,         // a string, the holder
    hash,          // a hash: holder → count
    members,       // a sorted set of holders, which may be in together
    gate,          // a hash with the state of a latch or barrier
    set_of_plain,  // several locks at once, each of them plain
    set_of_hash,   // the same, each of them a hash
    term,          // a list: the leader and its payload
    watch,         // no key of its own: the watchers of a leader
    once,          // as plain, with a mark beside it
};

[[nodiscard]] storage storage_of(const core::object& what) noexcept;

[[nodiscard]] constexpr bool is_set(storage how) noexcept
{
    return how == storage::set_of_plain || how == storage::set_of_hash;
}

struct script_set {
    const redis::script& acquire;
    const redis::script& release;
    // None for a gate or a watch, which nobody holds.
    const redis::script* renew;
    const redis::script* check;
};
[[nodiscard]] const script_set& scripts_of(storage how) noexcept;

// The holder as the server knows it. In a set of members, the weight follows the id: parts/census.lua.
[[nodiscard]] std::string holder_text(const core::claim& who);
void append_holder(std::string& out, const core::claim& who);

// The holder id in such a text.
[[nodiscard]] std::string_view holder_in(std::string_view text) noexcept;

// The capacity of a semaphore, or an empty text for a shared mutex.
[[nodiscard]] std::string capacity_text(const core::object& what);

// What a gate was made as: parts/gate.lua.
[[nodiscard]] std::string made_as(const core::object& gate);

// The server has the object with another capacity, or with another number of arrivals.
[[nodiscard]] core::failure wrong_number(const core::object& what, std::int64_t stored);

// The server has an object of another kind under this name.
[[nodiscard]] core::failure other_kind(const core::object& what);

}  // namespace pawl::store
