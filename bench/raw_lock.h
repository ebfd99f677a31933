// What the locks on raw sockets share.
#pragma once

#include "lock.h"
#include "raw_connection.h"

#include <string>
#include <string_view>

namespace pawl::bench {

inline constexpr std::string_view lease_ms = "30000";

// KEYS 1 lock; ARGV 1 holder. Reply: 1 if it was held.
inline constexpr std::string_view check_and_delete = R"(
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
)";

// Sends a request that gives a lock back. Throws if the reply is not 1.
void expect_held(raw_connection& connection, std::string_view bytes);

// A lock whose waiters get a message. The derived class sets the two requests, and subscribes.
class raw_lock : public lock {
public:
    // A waiter that gets a message has the lock.
    void acquire() override;
    void release() override;

protected:
    explicit raw_lock(const std::string& url) : commands_{url}, messages_{url} {}

    raw_connection commands_;
    raw_connection messages_;
    std::string acquire_;
    std::string release_;
};

// The scripts of a lock that is handed over. Both have KEYS 1 lock, 2 queue; ARGV 1 holder, 2 lease
// in ms. The holder is also the channel on which it is told.
//   hand_off_acquire                    replies 1 granted, 0 queued
//   hand_off_release   ARGV 3 notice    replies 1 if it was held
// The release runs `first` before it gives the lock back.
inline constexpr std::string_view hand_off_acquire = R"(
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 0
)";
[[nodiscard]] std::string hand_off_release(std::string_view first = {});

}  // namespace pawl::bench
