// Lock functions that keep no state in this process. The caller chooses the holder id. Any process
// that knows the name of the lock and the holder id can unlock it. Nothing is renewed: the lock
// ends with its lease, unless unlock() comes first. On a quorum these functions fail with
// `bad_argument`: docs/topologies/quorum.md, "Which locks work".
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace pawl::stateless {

// Takes the lock `name` for `holder` if it is free, and returns the fence of the grant. Returns
// std::nullopt if the lock is held, even if `holder` itself holds it. `holder` has 1 to 512 bytes;
// any byte except NUL is allowed. The lock has the plain layout.
// Round trips: one.
// On failure: throws pawl::error (unreachable, refused, not_a_lock, bad_argument, wrong_process).
//     The second form sets ec instead, also to `busy`.
// Threads: any thread may call it.
// Cancellation: none. It ends within client_options::command_limit.
//
// After `unreachable` the lock may have been taken. It then stays taken until the lease ends or
// unlock() is called. The client does not release it by itself: if an earlier call took the lock
// for the same holder, the client would release that lock. So use a new holder for each request. If
// a holder is used again, an unlock() for the first request that arrives late may free the lock of
// the second.
[[nodiscard]] PAWL_EXPORT std::optional<std::uint64_t> try_lock(client& client,
                                                                std::string_view name,
                                                                std::string_view holder,
                                                                std::chrono::milliseconds lease);
[[nodiscard]] PAWL_EXPORT std::optional<std::uint64_t> try_lock(client& client,
                                                                std::string_view name,
                                                                std::string_view holder,
                                                                std::chrono::milliseconds lease,
                                                                std::error_code& ec) noexcept;

// Releases the lock. Returns true if `holder` held it. Returns false, and changes nothing, if not.
// Round trips: one. If the answer gets lost, the request is repeated; if `holder` does not hold the
//     lock then, it counts as released.
// On failure: throws pawl::error, or sets ec and returns false, as try_lock().
// Threads: any thread may call it.
// Cancellation: none. It ends within client_options::command_limit.
PAWL_EXPORT bool unlock(client& client, std::string_view name, std::string_view holder);
PAWL_EXPORT bool unlock(client& client, std::string_view name, std::string_view holder,
                        std::error_code& ec) noexcept;

// Returns whether `holder` holds the lock at this moment. `holder` is one that was given to
// try_lock(), or the id of a pawl::hold of a lock with the plain layout. Changes nothing.
// Round trips: one.
// On failure: throws pawl::error, or sets ec and returns false, as try_lock().
// Threads: any thread may call it.
// Cancellation: none. It ends within client_options::command_limit.
[[nodiscard]] PAWL_EXPORT bool holds(client& client, std::string_view name,
                                     std::string_view holder);
[[nodiscard]] PAWL_EXPORT bool holds(client& client, std::string_view name, std::string_view holder,
                                     std::error_code& ec) noexcept;

}  // namespace pawl::stateless
