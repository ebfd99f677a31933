// What `pawl run` acquires: a lock, several, one side of a shared lock, or permits of a semaphore.
#pragma once

#include "run_options.h"

#include <pawl/acquirable.h>
#include <pawl/client.h>
#include <pawl/counting_semaphore.h>
#include <pawl/lock_set.h>
#include <pawl/mutex.h>
#include <pawl/shared_mutex.h>

#include <optional>

namespace pawl::cli {

class run_lock {
public:
    // Throws pawl::error.
    run_lock(client& client, const run_options& options);
    run_lock(const run_lock&) = delete;
    run_lock& operator=(const run_lock&) = delete;
    ~run_lock() = default;

    [[nodiscard]] acquirable& operator*() noexcept { return *wanted_; }

private:
    std::optional<mutex> mutex_;
    std::optional<counting_semaphore> semaphore_;
    std::optional<shared_mutex> shared_;
    std::optional<lock_set> set_;
    acquirable* wanted_ = nullptr;
};

}  // namespace pawl::cli
