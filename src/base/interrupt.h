// Waits in the caller's thread, for a descriptor or for a time, until a stop_token is triggered.
#pragma once

#include "base/clock.h"
#include "common/unique_fd.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace pawl::base {

// Turns the stop_token of a call into a descriptor that poll(2) can wait for. Most calls end
// without waiting, so the descriptor is created when it is first needed. For use by one thread.
class interrupt {
public:
    explicit interrupt(std::stop_token stop) noexcept : stop_{std::move(stop)} {}
    ~interrupt() = default;
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;

    [[nodiscard]] const std::stop_token& token() const noexcept { return stop_; }

    // Readable when a stop was requested. -1 if no stop is possible. Throws std::system_error.
    [[nodiscard]] int fd() const;

private:
    std::stop_token stop_;
    mutable common::unique_fd event_;
    // After event_: a callback that runs during the destruction must find the descriptor open.
    mutable std::optional<std::stop_callback<std::function<void()>>> callback_;
};

enum class wait_end { ready, timed_out, interrupted };

// Waits until `fd` (-1: nothing) is ready for `events`, as in poll(2). `stop` may be null.
[[nodiscard]] wait_end wait_for(int fd, short events, boot_time until, const interrupt* stop);

}  // namespace pawl::base
