// The least for readers and for permits, on raw sockets. Each holder has a lease of its own.
// Neither has a fence, renewals, or protection against lost replies.
#pragma once

#include "lock.h"
#include "raw_connection.h"
#include "raw_lock.h"

#include <string>
#include <string_view>

namespace pawl::bench {

// One of any number of readers. Nobody writes here, but each reader asks whether somebody does.
class reader_lock final : public lock {
public:
    reader_lock(const std::string& url, std::string_view name, std::string_view holder);

    void acquire() override;
    void release() override;

private:
    raw_connection commands_;
    std::string acquire_;
    std::string release_;
};

// One permit of a semaphore. The release gives the permit to the next waiter and tells it.
class permit_lock final : public raw_lock {
public:
    permit_lock(const std::string& url, std::string_view name, std::string_view holder,
                unsigned capacity);
};

// The scripts of permit_lock, for a dialogue. Both have KEYS 1 permits, 2 queue.
//   take_permit   ARGV 1 holder, 2 lease in ms, 3 capacity          replies 1 granted, 0 queued
//   give_permit   ARGV 1 holder, 2 lease in ms, 3 notice            replies 1 if it was held
[[nodiscard]] std::string_view take_permit() noexcept;
[[nodiscard]] std::string_view give_permit() noexcept;

}  // namespace pawl::bench
