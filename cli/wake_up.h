// What a loop of this command waits for besides signals: a time, or a call from another thread.
#pragma once

#include "common/unique_fd.h"

#include <chrono>
#include <initializer_list>

namespace pawl::cli {

// CLOCK_BOOTTIME: the clock of leases, which goes on while the machine is suspended.
using boot_time = std::chrono::nanoseconds;
inline constexpr boot_time never = boot_time::max();

[[nodiscard]] boot_time boot_now() noexcept;

// Readable when the time has come, and at once if it came while the machine was suspended. The
// timeout of poll(2) does not count the time of a suspension.
class alarm_clock {
public:
    alarm_clock();
    void set(boot_time when) noexcept;  // replaces the former time
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }

private:
    common::unique_fd fd_;
};

// Readable after ring(), until hush().
class bell {
public:
    bell();
    void ring() const noexcept;  // from any thread
    void hush() const noexcept;
    [[nodiscard]] bool has_rung() const noexcept;
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }

private:
    common::unique_fd fd_;
};

// Returns when at least one of them is readable.
void wait_for_any(std::initializer_list<int> fds) noexcept;

}  // namespace pawl::cli
