#include "redis/server.h"

#include "redis/local_paths.h"
#include "redis/local_server.h"

#include <unistd.h>

namespace pawl::redis {

server::server(server_config config)
    : config_{std::move(config)}, is_local_{config_.where.what == address::kind::local}
{
    if (is_local_) {
        config_.where.what = address::kind::unix_socket;
        config_.where.path = find_local_paths().socket;
        config_.where.owner = ::geteuid();
    }
    if (config_.where.tls) tls_ = std::make_unique<tls_context>(config_.tls, config_.where.host);
}

std::optional<failure> server::prepare(std::chrono::milliseconds limit) const
{
    return is_local_ ? try_to_start_local_server(limit) : std::nullopt;
}

std::unique_ptr<link> server::dial(base::boot_time until) const
{
    if (config_.where.what == address::kind::unix_socket) {
        return std::make_unique<link>(config_, tls_.get(), std::nullopt, until);
    }
    const common::scoped_lock guard{mutex_};
    if (!host_ || host_->finished()) host_.emplace(config_.where.host, config_.where.port);
    return std::make_unique<link>(config_, tls_.get(), host_, until);
}

}  // namespace pawl::redis
