// Turns a signal that would end pawl into a stop_token for the calls that it interrupts.
#pragma once

#include "signals.h"
#include "wake_up.h"

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

namespace pawl::cli {

// A message for a waiting user, and when to show it.
struct reminder {
    boot_time at = never;
    std::string line;
};

// The other threads wait for answers of a server, so a separate thread reads the signals. Ctrl-Z
// stops pawl like any process.
class interruption {
public:
    // Which signal ends pawl at once, for a user who does not want to wait for an outstanding
    // answer: none (a second signal stays pending for the next reader), the second, or the first.
    // The first is for calls that take no stop_token, while there is nothing to clean up.
    enum class ends_process { no_signal, second_signal, first_signal };

    explicit interruption(const signals& signals, ends_process when = ends_process::no_signal,
                          reminder remind = {});
    ~interruption() { finish(); }
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;

    [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }

    // The signal that came, 0 if none did.
    [[nodiscard]] int signal() const noexcept { return signal_; }

    // Stops listening: later signals stay pending for the next reader. Returns the signal that
    // came, 0 if none did.
    int finish();

private:
    void listen();
    void remind();
    void handle(int signal);

    const signals& signals_;
    ends_process when_;
    reminder reminder_;
    alarm_clock alarm_;
    std::stop_source stop_;
    bell over_;
    std::atomic<int> signal_{0};
    std::thread thread_;  // last, because it uses all of the above
};

}  // namespace pawl::cli
