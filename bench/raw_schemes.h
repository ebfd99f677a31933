// Two ways to pass a lock on, on raw sockets and with nothing else: the reference lines for pawl.
// Both have a lease and check the holder, and neither has a fence, renewals, or anything against
// lost answers.
#pragma once

#include "lock.h"
#include "raw_connection.h"

#include <string>
#include <string_view>

namespace pawl::bench {

// The release deletes and publishes; whoever hears it tries to acquire.
class publish_lock final : public lock {
public:
    publish_lock(const std::string& url, std::string_view name, std::string_view holder);

    void acquire() override;
    void release() override;

private:
    raw_connection commands_;
    raw_connection messages_;
    std::string acquire_;
    std::string release_;
};

// The release writes the next holder from the queue and tells him: a wake-up and no question.
class hand_off_lock final : public lock {
public:
    hand_off_lock(const std::string& url, std::string_view name, std::string_view holder);

    void acquire() override;
    void release() override;

private:
    raw_connection commands_;
    raw_connection messages_;
    std::string acquire_;
    std::string release_;
};

}  // namespace pawl::bench
