// Records the requests that a server executes for its clients, in order. It uses MONITOR, on a
// separate connection and thread. It slows the server down.
#pragma once

#include "support/fault_proxy.h"
#include "support/redis_probe.h"
#include "support/socket.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace pawl::test {

class request_monitor {
public:
    // Monitoring has begun when this returns. `seen` is called for each request, on the monitor's
    // thread. Calls of scripts are left out.
    request_monitor(const std::string& socket_path, std::function<void(const request&)> seen);
    ~request_monitor();
    request_monitor(const request_monitor&) = delete;
    request_monitor& operator=(const request_monitor&) = delete;

    // Returns when all requests that were executed before the call have been seen. Throws if that
    // takes too long.
    void catch_up(redis_probe& probe);

private:
    void run();
    void take(std::string_view line);

    socket_fd socket_;
    std::function<void(const request&)> seen_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t marks_sent_ = 0;
    std::uint64_t marks_seen_ = 0;
    std::jthread thread_;
};

// The words of one line of MONITOR. Empty if a script made the call.
[[nodiscard]] request monitored_words(std::string_view line);

}  // namespace pawl::test
