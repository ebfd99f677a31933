// What the two halves of the simulated network share: transport.cpp and transport_shared.cpp.
#pragma once

#include "redis/resp.h"
#include "sim/transport.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

// The same values as in the pipeline.
inline constexpr std::chrono::milliseconds shortest_pause{50};
inline constexpr std::chrono::milliseconds longest_pause{1'000};

// When the server notices by itself that the client is gone.
inline constexpr std::chrono::seconds keepalive{30};

// The commands of a request, or the replies to it.
[[nodiscard]] std::vector<std::string> each_of(std::string_view text);

struct transport::connection {
    server::peer end;  // as the server knows it
    bool open = false;
    bool listens = false;     // or has sent a SUBSCRIBE
    bool broken = false;      // and its owner knows it
    bool dead = false;        // nothing passes any more, whether its owner knows it or not
    base::boot_time since{};  // when it was opened, by its owner's clock
    nanoseconds last_request{0};
    nanoseconds last_reply{0};
    signal changed;                  // for the thread that waits for it
    std::function<void()> on_break;  // for the shared connection
};

struct transport::pending {
    writer request;
    std::chrono::milliseconds patience;
    reader done;
    base::boot_time until{};
    base::boot_time end{};
    unsigned replies = 0;
};

}  // namespace pawl::sim
