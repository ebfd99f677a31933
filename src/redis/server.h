// One server as its clients see it: where it is, and what is needed to connect.
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

    // Whether it is this user's private server, which is started when it is needed.
    [[nodiscard]] bool is_local() const noexcept { return is_local_; }

    // Starts this user's private server if that is the address and it does not run; else does
    // nothing. Blocks no longer than `limit`. Returns what went wrong.
    [[nodiscard]] std::optional<failure> prepare(std::chrono::milliseconds limit) const;

    // Begins to connect. `until`: when the caller gives up; no address is waited for until then if the
    // host has others.
    [[nodiscard]] std::unique_ptr<link> dial(base::boot_time until) const;

    // For messages.
    [[nodiscard]] const std::string& shown() const noexcept { return config_.shown; }

private:
    server_config config_;
    bool is_local_;
    std::unique_ptr<tls_context> tls_;

    // One look-up at a time for all who connect: a slow name server must not be asked by hundreds.
    mutable common::mutex mutex_;
    mutable std::optional<resolution> host_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::redis
