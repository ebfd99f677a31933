// Two minimal ways to pass a lock on, on raw sockets: the reference for pawl. Both have a lease and
// check the holder. Neither has a fence, renewals, or protection against lost replies.
#pragma once

#include "raw_lock.h"

#include <string>
#include <string_view>

namespace pawl::bench {

// The release deletes and publishes. Each subscriber that gets the message tries to acquire.
class publish_lock final : public raw_lock {
public:
    publish_lock(const std::string& url, std::string_view name, std::string_view holder);

    void acquire() override;
};

// The release writes the next holder from the queue and tells it: one wake-up, and no further
// request.
class hand_off_lock final : public raw_lock {
public:
    hand_off_lock(const std::string& url, std::string_view name, std::string_view holder);
};

}  // namespace pawl::bench
