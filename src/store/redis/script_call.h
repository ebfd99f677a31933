// A call of one of our scripts, word by word.
#pragma once

#include "redis/handshake.h"
#include "redis/scripts.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::store {

// A script is named by its SHA-1; its text is sent only when the server does not know it.
enum class script_form { by_sha, in_full };

// How this server is to be spoken to.
struct script_style {
    script_form form;
    const redis::server_facts& server;
};

// Opens a call with so many keys and arguments, which must follow.
void open_call(std::string& out, const redis::script& which, const script_style& how,
               std::size_t keys, std::size_t arguments);

// Opens a call about all keys of one lock, and writes these.
inline constexpr std::size_t keys_of_a_lock = 3;
void open_call(std::string& out, const redis::script& which, const script_style& how,
               std::string_view lock, std::size_t arguments);

// The key of the lock's fence.
void append_fence_key(std::string& out, std::string_view lock);

void append_milliseconds(std::string& out, std::chrono::milliseconds value);
void append_number(std::string& out, std::uint64_t value);

}  // namespace pawl::store
