#include "run_lock.h"

#include <utility>

namespace pawl::cli {

run_lock::run_lock(client& client, const run_options& options)
{
    lock_options how;
    how.lease = options.lease;
    how.longest_hold = options.longest_hold;
    if (options.capacity) {
        semaphore_.emplace(client, options.key, *options.capacity, how);
        wanted_ = &semaphore_->permits(options.permits);
    } else if (options.side != lock_side::only) {
        shared_.emplace(client, options.key, how);
        wanted_ = &*shared_;
        if (options.side == lock_side::reader) wanted_ = &shared_->shared();
    } else if (!options.also.empty()) {
        auto names = options.also;
        names.push_back(options.key);
        wanted_ = &set_.emplace(client, std::move(names), how);
    } else {
        wanted_ = &mutex_.emplace(client, options.key, how);
    }
}

}  // namespace pawl::cli
