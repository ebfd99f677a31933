// Writes that count only when replicas have acknowledged them: the command WAIT, sent in the same write.
//
// WAIT counts from the last write of its own connection. Replicas get all writes in one order, so it also
// covers what others wrote before. But it covers nothing if the request before it wrote nothing: from Redis 7.2
// on it then says at once that all replicas have acknowledged it. So the scripts that grant and renew write
// something in any case.
#pragma once

#include "core/failure.h"
#include "redis/resp.h"
#include "store/redis/replication.h"

#include <pawl/options.h>

#include <chrono>
#include <optional>
#include <string>

namespace pawl::store {

struct acknowledging {
    acknowledgement wanted{};
    std::chrono::milliseconds longest{};  // how long the server may wait for its replicas

    [[nodiscard]] bool is_on() const noexcept { return wanted.is_on(); }

    // How many replicas must acknowledge. A majority is one of all servers that were seen, so that a
    // primary that has lost its replicas is not a majority by itself.
    [[nodiscard]] unsigned needed(const server_history& server) const;

    // The server waits for `limit`, or for `longest` if that is shorter.
    void append(std::string& out, const server_history& server,
                std::chrono::milliseconds limit) const;

    // From the reply to WAIT: nothing if that were enough replicas.
    [[nodiscard]] std::optional<core::failure> read(const redis::reply_view& reply,
                                                    const server_history& server) const;
};

// The part of a lease that the server may wait. A renewal has a quarter of the lease, and the server waits twice
// if it does not know the script.
[[nodiscard]] constexpr std::chrono::milliseconds share_of(std::chrono::milliseconds lease) noexcept
{
    constexpr int share = 12;
    return lease / share;
}

}  // namespace pawl::store
