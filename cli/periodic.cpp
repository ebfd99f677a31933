#include "periodic.h"

#include "duration.h"
#include "interruption.h"

#include <utility>

namespace pawl::cli {
namespace {

[[nodiscard]] lock_options lock_of(const run_options& options)
{
    lock_options how;
    how.lease = options.lease;
    how.longest_hold = options.longest_hold;
    return how;
}

}  // namespace

periodic::periodic(client& client, const run_options& options)
    : job_{client, options.key, *options.every,
           once_options{.aligned = options.aligned, .retry_failed = options.retry_failed},
           lock_of(options)}
{
}

wait_result periodic::begin(const signals& signals)
{
    interruption interruption{signals};
    wait_result result;
    auto begun = job_.try_begin(interruption.token());
    result.signal = interruption.finish();
    // The signal may have come when the run had begun.
    if (!begun || result.signal != 0) return result;
    turn_ = std::move(*begun);
    result.held = std::move(turn_.held());
    return result;
}

std::string periodic::why_not()
{
    const auto left = job_.due_in();
    if (left.count() > 0) return "not due for another " + describe(left);
    return "it runs now, here or on another machine";
}

void periodic::done(hold& run)
{
    turn_.held() = std::move(run);
    try {
        turn_.done();
    } catch (...) {
        run = std::move(turn_.held());
        throw;
    }
}

}  // namespace pawl::cli
