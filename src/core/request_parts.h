// What the requests of the protocol and their replies have in common: core/request.h, core/vote.h.
#pragma once

#include "core/failure.h"
#include "core/object.h"

#include <pawl/event.h>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <variant>

namespace pawl::core {

// ── Parts of requests ───────────────────────────────────────────────────────────────────────────

// The object that is asked about, and the holder that asks. Both must outlive the request.
struct claim {
    const object* what{};
    std::string_view holder{};
    // What a store has written about both, and sends with several requests. Only the store knows what it means. It may
    // be empty.
    std::string_view written{};
};

// A value that a store gives with a grant, and wants back when the same object is acquired again. Only the
// store knows what it means. A request with a hint may be late (failure::maybe_late).
struct hint {
    std::uint64_t value = 0;  // 0: no hint

    explicit operator bool() const noexcept { return value != 0; }
};

// The content of a waiter's place in the queue, without the holder id.
struct queue_place {
    std::string_view client{};  // the client that is told of the grant
    std::chrono::milliseconds lease{};
    unsigned reserve = 0;  // numbers to set aside above the fence
};

// ── Parts of replies ────────────────────────────────────────────────────────────────────────────

// What the store says about a holder id.
enum class hold_status {
    done,        // it is the holder, and the request was executed
    vanished,    // the lock has no holder
    taken,       // the lock has another holder
    not_a_lock,  // the value under this name is of another type
};
// Only of renewals in a quorum: it was done, but no more than a majority of the nodes has the lock now.
struct bare_majority {
    std::string missing{};  // the other nodes, and what is wrong there

    bool operator==(const bare_majority&) const = default;
};
// Here and below, `failure` comes first: a reply that was never set is a failure.
using hold_reply = std::variant<failure, hold_status, bare_majority>;

[[nodiscard]] cause cause_of(hold_status what) noexcept;

}  // namespace pawl::core
