#include "waiting.h"

#include "duration.h"
#include "interruption.h"
#include "say.h"
#include "screen.h"
#include "wake_up.h"

#include <pawl/error.h>

#include <unistd.h>

#include <stop_token>

namespace pawl::cli {
namespace {

// Shorter waits need no explanation.
constexpr std::chrono::seconds unexplained_wait{1};

[[nodiscard]] std::optional<hold> acquire(acquirable& lock, const run_options& options,
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

// Only for a terminal or with --verbose: otherwise each run that had to wait would add a line to a
// log.
[[nodiscard]] reminder reminder_of(const std::string& server, const run_options& options)
{
    if (!options.verbose && !is_terminal(STDERR_FILENO)) return {};
    if (options.wait && *options.wait <= unexplained_wait) return {};
    std::string line = "waiting for " + name_of(options) + " on " + server;
    line += options.wait ? ", for " + describe(*options.wait) + " at most"
                         : ", for as long as it takes";
    return {.at = boot_now() + unexplained_wait, .line = std::move(line)};
}

}  // namespace

wait_result wait_for_lock(acquirable& lock, const std::string& server, const run_options& options,
                          const signals& signals)
{
    interruption interruption{signals, interruption::ends_process::no_signal,
                              reminder_of(server, options)};
    wait_result result;
    result.held = acquire(lock, options, interruption.token());
    result.signal = interruption.finish();
    // The signal may have come at the moment of the grant.
    if (result.signal != 0) result.held.reset();
    return result;
}

}  // namespace pawl::cli
