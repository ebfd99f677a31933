// A short conversation with the private server of `local:`, before any pool or client exists.
#pragma once

#include "base/clock.h"
#include "common/unique_fd.h"
#include "redis/resp.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::redis {

class local_link {
public:
    // Nothing when nobody listens there. Throws pawl::error: `refused` when another user listens,
    // `unreachable` when a server is there that takes no connection by `until`.
    [[nodiscard]] static std::optional<local_link> open(const std::string& socket,
                                                        base::boot_time until);

    // Who listens; 0 when it lives in another PID namespace.
    [[nodiscard]] int server_pid() const noexcept { return server_pid_; }

    // One command and its reply, which is valid until the next call. Nothing when the server closed
    // the connection instead. Throws pawl::error (unreachable) when neither happens by `until`.
    [[nodiscard]] std::optional<reply_view> ask(std::initializer_list<std::string_view> words,
                                                base::boot_time until);

private:
    local_link(std::string socket, common::unique_fd fd, int server_pid);

    [[nodiscard]] bool send(std::string_view bytes, base::boot_time until);
    [[nodiscard]] bool receive(base::boot_time until);
    void wait(short events, base::boot_time until) const;

    std::string socket_;
    common::unique_fd fd_;
    int server_pid_;
    std::string received_;
    reply_parser parser_;
};

}  // namespace pawl::redis
