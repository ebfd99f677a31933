// One server: its address, and what is needed to connect to it.
#pragma once

#include "base/clock.h"
#include "common/mutex.h"
#include "redis/failure.h"
#include "redis/link.h"
#include "redis/resolve.h"
#include "redis/tls.h"
#include "redis/url.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace pawl::redis {

class server {
public:
    // Throws pawl::error (bad_argument) if a certificate cannot be used.
    explicit server(server_config config);

    // Whether it is this user's private server, which pawl starts when it is needed.
    [[nodiscard]] bool is_local() const noexcept { return is_local_; }

    // Starts this user's private server if that is the address and it is not running. Otherwise
    // does nothing. Blocks at most for `limit`. Returns the problem, if there is one.
    [[nodiscard]] std::optional<failure> prepare(std::chrono::milliseconds limit) const;

    // Begins to connect. `until`: when the caller gives up. If the host has several addresses, each
    // gets only a part of that time.
    [[nodiscard]] std::unique_ptr<link> dial(base::boot_time until) const;

    // A connection has been made in place of one that had ended.
    void count_reconnect() const
    {
        if (config_.counted_in) config_.counted_in->reconnects.add();
    }

    // For messages.
    [[nodiscard]] const std::string& shown() const noexcept { return config_.shown; }

private:
    server_config config_;
    bool is_local_;
    std::unique_ptr<tls_context> tls_;

    // One lookup at a time for all connections, so that a slow name server does not get hundreds of
    // queries.
    mutable common::mutex mutex_;
    mutable std::optional<resolution> host_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::redis
