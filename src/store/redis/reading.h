// Reads the replies and messages of a Redis server.
//
// No value from a server is trusted: a key may have any expiry, and a clock may show any time.
#pragma once

#include "core/request.h"
#include "redis/failure.h"
#include "redis/resp.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pawl::store {

// A fence or a time of the server, from a reply or a message. Nothing if the number cannot be one.
[[nodiscard]] std::optional<std::uint64_t> fence_in(std::int64_t number) noexcept;
[[nodiscard]] std::optional<std::chrono::milliseconds> server_time_in(std::int64_t micros) noexcept;

// The reply of a script that returns several numbers: 'CODE NUMBER TIME' with the time in µs, or
// 'CODE NUMBER'.
struct script_answer {
    std::int64_t code = 0;
    std::int64_t number = 0;
    std::int64_t time_us = 0;
    std::optional<std::int64_t> more{};
};
// Nothing if the reply is not a text of `count` numbers. With `may_have_more`, another one may follow.
[[nodiscard]] std::optional<script_answer> read_answer(const redis::reply_view& reply,
                                                       std::size_t count,
                                                       bool may_have_more = false);

// Removes the first word from a text and returns it. take_number() returns nothing if the word is not a
// number.
[[nodiscard]] std::string_view take_word(std::string_view& text) noexcept;
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text) noexcept;

// The rest of a lease, 24 hours at most. -1 if it is not known.
[[nodiscard]] std::chrono::milliseconds time_left_in(std::int64_t number) noexcept;

// The failure for an invalid reply: `refused`.
[[nodiscard]] core::failure senseless(const redis::reply_view& reply);

// The failure of a request that got no reply.
[[nodiscard]] core::failure failure_of(const redis::failure& why);

// The failure for an error reply: `not_a_lock` if the key has another type.
[[nodiscard]] core::failure failure_of_error(std::string_view text);

// The reply of a script about a hold: a number, or an error.
[[nodiscard]] core::hold_reply read_hold(const redis::reply_view& reply);

// Whether the server does not know the script, so that it must be sent in full.
[[nodiscard]] bool is_unknown_script(const redis::reply_view& reply) noexcept;

// Whether the server refuses the request, now and later.
[[nodiscard]] bool is_refusal(const redis::reply_view& reply);

}  // namespace pawl::store
