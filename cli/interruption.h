// A signal that would end pawl, as a stop_token for the calls that it shall end.
#pragma once

#include "signals.h"
#include "wake_up.h"

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

namespace pawl::cli {

// What to say to a user who waits, and when.
struct reminder {
    boot_time at = never;
    std::string line;
};

// The other threads are busy asking a server, so one of its own listens for signals. Ctrl-Z stops
// pawl as it would any process.
class interruption {
public:
    // What ends pawl on the spot, for a user who does not want to wait for an answer that is still
    // under way: no signal (a second one waits to be read by someone else), the second, or the first.
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

    // Listens no longer: what comes from now on waits for whoever reads next. The signal that came,
    // 0 if none did.
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
    std::thread thread_;  // last: it runs on all of the above
};

}  // namespace pawl::cli
