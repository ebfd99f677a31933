#include "run_lock.h"

namespace pawl::cli {

run_lock::run_lock(client& client, const run_options& options)
{
    lock_options how;
    how.lease = options.lease;
    how.longest_hold = options.longest_hold;
    if (options.capacity) {
        semaphore_.emplace(client, options.key, *options.capacity, how);
        wanted_ = &semaphore_->permits(options.permits);
    } else {
        wanted_ = &mutex_.emplace(client, options.key, how);
    }
}

}  // namespace pawl::cli
