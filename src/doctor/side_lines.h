// Connections of the doctor's own, for what the store's connections are not used for: to ask sentinels, and to try
// whether the user may subscribe.
#pragma once

#include "base/event_loop.h"
#include "base/platform.h"
#include "doctor/verdict.h"
#include "redis/deployment.h"
#include "redis/socket_transport.h"
#include "store/question.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::doctor {

// How to connect to a server of this deployment, which a store calls by this name.
[[nodiscard]] redis::server_config config_of(const redis::deployment& where,
                                             std::string_view server);

struct listening_rights {
    verdict subscribe = verdict::unknown;
    verdict unsubscribe = verdict::unknown;  // with sharded channels only
};

class side_lines {
public:
    // Throws pawl::error (bad_argument) if a certificate cannot be used.
    side_lines(base::platform& platform, const std::vector<redis::server_config>& to,
               std::chrono::milliseconds limit);
    ~side_lines();
    side_lines(const side_lines&) = delete;
    side_lines& operator=(const side_lines&) = delete;

    // Sends the same commands to all of them at the same time. Returns an answer for each, within the limit.
    [[nodiscard]] std::vector<store::server_answer> ask(
        const std::vector<store::command>& commands);

    // Subscribes to the channel at each of them at the same time. To be called once.
    [[nodiscard]] std::vector<listening_rights> try_listening(const std::string& channel,
                                                              bool sharded);

private:
    class listener;

    base::platform* platform_;
    std::chrono::milliseconds limit_;
    base::event_loop loop_;
    std::vector<std::unique_ptr<listener>> listeners_;
    std::vector<std::unique_ptr<redis::socket_transport>> ways_;  // use the loop and the listeners
};

}  // namespace pawl::doctor
