// How an object is stored on a Redis server, and the scripts for each way.
#pragma once

#include "core/object.h"
#include "core/request.h"
#include "redis/scripts.h"

#include <string>
#include <string_view>

namespace pawl::store {

enum class storage {
    plain,    // a string, the holder
    hash,     // a hash: holder → count
    members,  // a sorted set of holders, which may be in together
};

[[nodiscard]] storage storage_of(const core::object& what) noexcept;

struct script_set {
    const redis::script& acquire;
    const redis::script& renew;
    const redis::script& check;
    const redis::script& release;
};
[[nodiscard]] const script_set& scripts_of(storage how) noexcept;

// Writes the holder as the server knows it. In a set of members, the weight follows the id:
// parts/census.lua.
void append_holder(std::string& out, const core::claim& who);

// The holder id in a text that append_holder() wrote.
[[nodiscard]] std::string_view holder_in(std::string_view text) noexcept;

// Writes the capacity of a semaphore, or an empty text for a shared mutex.
void append_capacity(std::string& out, const core::object& what);

}  // namespace pawl::store
