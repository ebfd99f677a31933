// Why a request has no answer, or an answer that helps nobody.
#pragma once

#include <pawl/error.h>
#include <pawl/event.h>

#include <string>

namespace pawl::core {

enum class failure_kind {
    unavailable,  // the store said: not now
    not_a_lock,   // an acquire found something of another type under that name
    refused,      // the store said no, and would say so again
    no_reply,     // sent, and no answer within the limit
    unreachable,  // no connection, or it broke
    cancelled,    // the caller's stop_token
};

struct failure {
    failure_kind what{};
    std::string detail{};  // the store's or the system's own words

    // The store may have executed it, all or in part.
    bool maybe_executed = false;
    // It may even be executed at any later time: it did not say until when it is wanted.
    bool maybe_late = false;
    // Nobody listens at any of the store's addresses.
    bool no_server = false;

    bool operator==(const failure&) const = default;
};

// Whether the store answered the question.
[[nodiscard]] constexpr bool is_answer(failure_kind what) noexcept
{
    return what == failure_kind::not_a_lock || what == failure_kind::refused;
}

// Whether the store said nothing, or nothing that would hold in a moment.
[[nodiscard]] constexpr bool is_silence(failure_kind what) noexcept
{
    return what == failure_kind::unavailable || what == failure_kind::no_reply ||
           what == failure_kind::unreachable;
}

// What the caller is told.
[[nodiscard]] errc errc_of(failure_kind what) noexcept;

// A failure as the caller gets it, as an exception or as an error_code.
struct trouble {
    errc code{};
    std::string detail{};  // the store's or the system's own words
};
[[nodiscard]] trouble trouble_of(const failure& got);

// Why a lease is in jeopardy when its renewal failed.
[[nodiscard]] cause cause_of(failure_kind what) noexcept;

}  // namespace pawl::core
