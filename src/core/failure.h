// Why a request got no answer, or no useful one.
#pragma once

#include <pawl/error.h>
#include <pawl/event.h>

#include <string>
#include <string_view>

namespace pawl::core {

enum class failure_kind {
    unavailable,  // the store said: try later
    not_a_lock,   // an acquire found a value of another type under that name
    refused,      // the store said no, and trying again does not help
    not_due,      // a run has begun in this period
    gone,         // the holder that was to be exchanged does not have the lock any more
    no_reply,     // the request was sent, but no answer came within the limit
    unreachable,  // there is no connection, or it broke
    elsewhere,    // this server does not have the lock any more; another one of the store does
    no_quorum,    // too few nodes of a quorum gave an answer
    cancelled,    // stop was requested by the caller's stop_token
};

struct failure {
    failure_kind what{};
    std::string detail{};  // the text of the store or of the operating system

    // The store may have executed the request, completely or in part.
    bool maybe_executed = false;
    // The store may still execute the request, at any later time: it did not say until when it is wanted.
    bool maybe_late = false;
    // No server listens at any of the store's addresses; or so many nodes of a quorum may not vote that no
    // majority is left. To ask again at once does not help.
    bool no_server = false;

    bool operator==(const failure&) const = default;
};

// Whether the store gave a final answer.
[[nodiscard]] constexpr bool is_answer(failure_kind what) noexcept
{
    return what == failure_kind::not_a_lock || what == failure_kind::refused ||
           what == failure_kind::not_due || what == failure_kind::gone;
}

// Whether the store gave no answer, or only "try later".
[[nodiscard]] constexpr bool is_silence(failure_kind what) noexcept
{
    return what == failure_kind::unavailable || what == failure_kind::no_reply ||
           what == failure_kind::unreachable || what == failure_kind::elsewhere ||
           what == failure_kind::no_quorum;
}

// The error code that the caller gets.
[[nodiscard]] errc errc_of(failure_kind what) noexcept;

// The detail of a failure after the client was destroyed.
inline constexpr std::string_view client_destroyed = "the client was destroyed";

// A failure as the caller gets it: as an exception or as an error_code.
struct trouble {
    errc code{};
    std::string detail{};  // the text of the store or of the operating system
};
[[nodiscard]] trouble trouble_of(const failure& got);

// The cause of the jeopardy after a renewal failed in this way.
[[nodiscard]] cause cause_of(failure_kind what) noexcept;

}  // namespace pawl::core
