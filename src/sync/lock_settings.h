// What a lock is and how it is used: its name and options, checked.
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

    // Whether users of both in one process can share a grant.
    [[nodiscard]] bool same_as(const lock_settings& other) const
    {
        return what.name == other.what.name && what.layout == other.what.layout &&
               lease == other.lease && renew == other.renew && linger == other.linger &&
               announce == other.announce;
    }
};

// One for all who use the lock.
using settings_ptr = std::shared_ptr<const lock_settings>;

// Throws pawl::error (bad_argument).
[[nodiscard]] settings_ptr settle(std::string_view name, const lock_options& options,
                                  core::object_kind kind, fairness fairness);

}  // namespace pawl::sync
