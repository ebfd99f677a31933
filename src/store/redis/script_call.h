// Writes a call of one of pawl's scripts, word by word.
#pragma once

#include "core/object.h"
#include "redis/handshake.h"
#include "redis/resp.h"
#include "redis/scripts.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::store {

// A script is called by its SHA-1. Its text is sent only if the server does not know it.
enum class script_form { by_sha, in_full };

[[nodiscard]] script_form first_form();

// Whether this reply says so.
[[nodiscard]] bool must_be_sent_in_full(script_form form, const redis::reply_view& reply);

// How a script is sent to this server.
struct script_style {
    script_form form;
    const redis::server_facts& server;
};

// Begins a call with this number of keys and arguments. They must follow.
void open_call(std::string& out, const redis::script& which, const script_style& how,
               std::size_t keys, std::size_t arguments);

// Begins a call with all keys of an object, and writes the keys. Most objects have three for each lock: the lock, its
// fence and its queue. A leader has a fourth one, the queue of its watchers. A watcher has that one instead of the
// queue. A once_per has its mark as the fourth one.
inline constexpr std::size_t keys_of_a_lock = 3;
void open_call(std::string& out, const redis::script& which, const script_style& how,
               const core::object& what, std::size_t arguments);

// The same for a lock and a condition of it, whose key is the fourth one.
void open_condition_call(std::string& out, const redis::script& which, const script_style& how,
                         const core::object& what, std::size_t arguments);

// Write the key of the lock's fence, or of its mark.
void append_fence_key(std::string& out, std::string_view lock);
void append_mark_key(std::string& out, std::string_view lock);

void append_milliseconds(std::string& out, std::chrono::milliseconds value);
void append_number(std::string& out, std::uint64_t value);

}  // namespace pawl::store
