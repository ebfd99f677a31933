// A lock as functions that keep nothing in this process: the caller names the holder, and may
// unlock from another process. Nothing is renewed; the lease is all there is.
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace pawl::stateless {

// Takes the lock `name` for `holder` if it is free: the fence of the grant, or nothing when anyone
// holds it, this same holder included. One round trip. A holder is 1 to 512 bytes.
//
// After `unreachable` the lock may be taken all the same, until the lease ends or unlock() is called:
// an answer that got lost cannot be told from someone else's lock of the same holder. So give each
// request a holder of its own; with one that is used again, a late unlock() may free a later lock.
//
// The plain layout is used. Throws pawl::error (unreachable, refused, not_a_lock, bad_argument,
// wrong_process); the second form sets ec, to `busy` too.
[[nodiscard]] PAWL_EXPORT std::optional<std::uint64_t> try_lock(client& client,
                                                                std::string_view name,
                                                                std::string_view holder,
                                                                std::chrono::milliseconds lease);
[[nodiscard]] PAWL_EXPORT std::optional<std::uint64_t> try_lock(client& client,
                                                                std::string_view name,
                                                                std::string_view holder,
                                                                std::chrono::milliseconds lease,
                                                                std::error_code& ec) noexcept;

// Gives it back: true if `holder` held it, false if not (and then nothing was changed). One round
// trip. After a lost answer the question is repeated, and "not held any more" then counts as given
// back. Throws, or sets ec, as above.
PAWL_EXPORT bool unlock(client& client, std::string_view name, std::string_view holder);
PAWL_EXPORT bool unlock(client& client, std::string_view name, std::string_view holder,
                        std::error_code& ec) noexcept;

// Whether `holder` holds the lock at this moment, by try_lock() or as the id of a pawl::hold in
// the plain layout. Changes nothing. One round trip. Throws, or sets ec and returns false, as above.
[[nodiscard]] PAWL_EXPORT bool holds(client& client, std::string_view name,
                                     std::string_view holder);
[[nodiscard]] PAWL_EXPORT bool holds(client& client, std::string_view name, std::string_view holder,
                                     std::error_code& ec) noexcept;

}  // namespace pawl::stateless
