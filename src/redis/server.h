// One server as its clients see it: where it is, and what is needed to connect.
#pragma once

#include "redis/failure.h"
#include "redis/link.h"
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

    // Starts this user's private server if that is the address and it does not run; else does
    // nothing. Blocks no longer than `limit`. Returns what went wrong.
    [[nodiscard]] std::optional<failure> prepare(std::chrono::milliseconds limit) const;

    [[nodiscard]] std::unique_ptr<link> dial() const;

    // For messages.
    [[nodiscard]] const std::string& shown() const noexcept { return config_.shown; }

private:
    server_config config_;
    bool is_local_;
    std::unique_ptr<tls_context> tls_;
};

}  // namespace pawl::redis
