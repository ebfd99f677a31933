// Waiting in the caller's thread, for a descriptor or for time to pass, until a stop_token says no.
#pragma once

#include "base/clock.h"
#include "common/unique_fd.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace pawl::base {

// Turns one call's stop_token into a descriptor that poll(2) can wait for. Most calls are over before
// anyone waits, so that is made when it is first asked for. Of one thread.
class interrupt {
public:
    explicit interrupt(std::stop_token stop) noexcept : stop_{std::move(stop)} {}
    ~interrupt() = default;
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;

    [[nodiscard]] const std::stop_token& token() const noexcept { return stop_; }

    // Readable once stop was requested; -1 if it never can be. Throws std::system_error.
    [[nodiscard]] int fd() const;

private:
    std::stop_token stop_;
    mutable common::unique_fd event_;
    // After event_: a callback that runs while this is destroyed must find the descriptor open.
    mutable std::optional<std::stop_callback<std::function<void()>>> callback_;
};

enum class wait_end { ready, timed_out, interrupted };

// Waits until `fd` (-1: nothing) is ready for `events`, as in poll(2). `stop` may be null.
[[nodiscard]] wait_end wait_for(int fd, short events, boot_time until, const interrupt* stop);

}  // namespace pawl::base
