// A short exchange with the private server of `local:`, before any pool or client exists.
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
    // Nothing if no process listens there. Throws pawl::error: `refused` if another user listens,
    // `unreachable` if there is a server that does not accept a connection before `until`.
    [[nodiscard]] static std::optional<local_link> open(const std::string& socket,
                                                        base::boot_time until);

    // The process that listens. 0 if it is in another PID namespace.
    [[nodiscard]] int server_pid() const noexcept { return server_pid_; }

    // Sends one command and returns its reply, which is valid until the next call. Nothing if the
    // server closed the connection instead. Throws pawl::error (unreachable) if neither happens
    // before `until`.
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
