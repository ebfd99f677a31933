#include "waiting.h"

#include "wake_up.h"

#include <pawl/error.h>

#include <atomic>
#include <stop_token>
#include <thread>

namespace pawl::cli {
namespace {

// The main thread is busy asking the server, so a second one listens for signals meanwhile.
class interruption {
public:
    explicit interruption(const signals& signals) : signals_{signals}, thread_{[this] { listen(); }}
    {
    }

    ~interruption() { finish(); }
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;

    [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }

    // Listens no longer: what comes from now on waits for whoever reads next. The signal that came,
    // 0 if none did.
    int finish()
    {
        over_.ring();
        if (thread_.joinable()) thread_.join();
        return signal_;
    }

private:
    void listen()
    {
        while (!stop_.stop_requested()) {
            wait_for_any({signals_.fd(), over_.fd()});
            if (over_.has_rung()) return;
            handle(signals_.next());
        }
    }

    void handle(int signal)
    {
        if (signal == SIGTSTP) {
            signals::stop_here();
        } else if (signals::ends_process(signal)) {
            signal_ = signal;
            stop_.request_stop();
        }
    }

    const signals& signals_;
    std::stop_source stop_;
    bell over_;
    std::atomic<int> signal_{0};
    std::thread thread_;  // last: it runs on all of the above
};

[[nodiscard]] std::optional<hold> acquire(mutex& lock, const run_options& options,
                                          const std::stop_token& stop)
{
    if (options.wait) return lock.try_acquire_for(*options.wait, stop);
    try {
        return lock.acquire(stop);
    } catch (const error& problem) {
        if (problem.code() == errc::cancelled) return std::nullopt;
        throw;
    }
}

}  // namespace

wait_result wait_for_lock(mutex& lock, const run_options& options, const signals& signals)
{
    interruption interruption{signals};
    wait_result result;
    result.held = acquire(lock, options, interruption.token());
    result.signal = interruption.finish();
    // It may have come at the very moment of the grant.
    if (result.signal != 0) result.held.reset();
    return result;
}

}  // namespace pawl::cli
