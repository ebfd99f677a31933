// Which messages about a problem are shown, while the same thing is tried again and again.
#pragma once

#include "wake_up.h"

#include <chrono>
#include <map>
#include <string>

namespace pawl::cli {

// A new problem is shown at once. One that lasts is shown once a minute, so that a log tells why nothing happens and
// is not filled with it. Two problems that take turns are shown once a minute each.
class complaints {
public:
    static constexpr std::chrono::minutes interval{1};

    // Whether to show it now. If so, it counts as shown.
    [[nodiscard]] bool is_due(const std::string& text, boot_time now);

    // The problem is over: the next one is new.
    void clear() { shown_.clear(); }

private:
    std::map<std::string, boot_time> shown_;  // in the last interval, and when
};

}  // namespace pawl::cli
