// The name and the options of a lock, checked.
#pragma once

#include "core/object.h"

#include <pawl/options.h>

#include <chrono>
#include <memory>

namespace pawl::sync {

// Whether a waiter may be overtaken.
enum class fairness : bool { unfair, fair };

struct lock_settings {
    core::object what;
    std::chrono::milliseconds lease{};  // not longer than longest_hold
    bool renew{};
    bool joins{};  // waiters wait in the server's queue
    bool fair{};
    std::chrono::milliseconds poll_interval{};
    std::chrono::milliseconds linger{};
    bool announce{};
    std::chrono::milliseconds longest_hold{};
    std::chrono::milliseconds heartbeat{};

    // Callers whose settings are the same share a local lock.
    bool operator==(const lock_settings&) const = default;
};

// All users of a lock share one.
using settings_ptr = std::shared_ptr<const lock_settings>;

// `what` has no layout yet: it is that of the options, or the usual one of the kind. Throws pawl::error
// (bad_argument).
[[nodiscard]] settings_ptr settle(core::object what, const lock_options& options,
                                  fairness fairness);

}  // namespace pawl::sync
