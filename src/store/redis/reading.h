// What a Redis server says, as far as it makes sense.
//
// Nothing that comes from a server is trusted: a key may have any expiry, and a clock may show anything.
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

// Numbers in replies and messages. Nothing if they cannot be that.
[[nodiscard]] std::optional<std::uint64_t> fence_in(std::int64_t number) noexcept;
[[nodiscard]] std::optional<std::chrono::milliseconds> server_time_in(std::int64_t micros) noexcept;

// The reply of scripts that say more than one number: 'CODE NUMBER TIME', the time in µs, or without it.
struct script_answer {
    std::int64_t code = 0;
    std::int64_t number = 0;
    std::int64_t time_us = 0;
};
// Nothing if it is not so many numbers.
[[nodiscard]] std::optional<script_answer> read_answer(const redis::reply_view& reply,
                                                       std::size_t count);

// Takes the first word off a text, or the first number; nothing if the word is none.
[[nodiscard]] std::string_view take_word(std::string_view& text) noexcept;
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text) noexcept;

// The rest of a lease, cut to what a waiter may believe; -1 if it is not known.
[[nodiscard]] std::chrono::milliseconds time_left_in(std::int64_t number) noexcept;

// The reply makes no sense: `refused`.
[[nodiscard]] core::failure senseless(const redis::reply_view& reply);

// No reply came.
[[nodiscard]] core::failure failure_of(const redis::failure& why);

// An error came. `not_a_lock` if the key is of another type.
[[nodiscard]] core::failure failure_of_error(std::string_view text);

// The reply of scripts that ask about a hold: a number, or an error.
[[nodiscard]] core::hold_reply read_hold(const redis::reply_view& reply);

// Whether the server does not know the script: it is to be sent in full.
[[nodiscard]] bool is_unknown_script(const redis::reply_view& reply) noexcept;

// Whether the server will not do what it was asked, now or later.
[[nodiscard]] bool is_refusal(const redis::reply_view& reply);

}  // namespace pawl::store
