#include "waiting.h"

#include "interruption.h"

#include <pawl/error.h>

#include <stop_token>

namespace pawl::cli {
namespace {

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
