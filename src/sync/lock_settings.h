// The name and the options of a lock, checked.
#pragma once

#include "core/object.h"

#include <pawl/options.h>

#include <chrono>
#include <memory>
#include <string_view>

namespace pawl::sync {

// Whether a waiter may be overtaken.
enum class fairness : bool { unfair, fair };

struct lock_settings {
    core::object what;
    std::chrono::milliseconds lease{};
    bool renew{};
    bool joins{};  // waiters wait in the server's queue
    bool fair{};
    std::chrono::milliseconds poll_interval{};
    std::chrono::milliseconds linger{};
    bool announce{};

    // Callers whose settings are the same share a local lock.
    bool operator==(const lock_settings&) const = default;
};

// All users of a lock share one.
using settings_ptr = std::shared_ptr<const lock_settings>;

// Throws pawl::error (bad_argument).
[[nodiscard]] settings_ptr settle(std::string_view name, const lock_options& options,
                                  core::object_kind kind, fairness fairness);

}  // namespace pawl::sync
