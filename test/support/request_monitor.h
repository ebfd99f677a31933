// What a server executes for its clients, in that order: its MONITOR, on a connection and a thread
// of their own. Slows the server down.
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
    // Begins before it returns. `seen` gets each request, on the monitor's thread; what scripts
    // call is left out.
    request_monitor(const std::string& socket_path, std::function<void(const request&)> seen);
    ~request_monitor();
    request_monitor(const request_monitor&) = delete;
    request_monitor& operator=(const request_monitor&) = delete;

    // Returns when all that was executed before the call has been seen. Throws when that takes too
    // long.
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

// The words of one line of MONITOR; none if a script called it.
[[nodiscard]] request monitored_words(std::string_view line);

}  // namespace pawl::test
