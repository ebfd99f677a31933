#include "gate.h"

#include "duration.h"
#include "ending.h"
#include "exit_code.h"
#include "gate_options.h"
#include "interruption.h"
#include "say.h"
#include "screen.h"
#include "signals.h"
#include "url_option.h"
#include "usage.h"
#include "wake_up.h"

#include <pawl/barrier.h>
#include <pawl/client.h>
#include <pawl/error.h>
#include <pawl/latch.h>

#include <unistd.h>

#include <optional>
#include <stop_token>

namespace pawl::cli {
namespace {

// Shorter waits need no explanation.
constexpr std::chrono::seconds unexplained_wait{1};

// What both commands do. The signals are blocked before the client starts its threads.
class session {
public:
    session(gate_options options, std::string what)
        : options_{std::move(options)},
          name_{"the " + std::move(what) + ' ' + in_quotes(options_.key)},
          client_{client_options{.url = options_.server.url}}
    {
    }

    [[nodiscard]] ending run_latch();
    [[nodiscard]] ending run_barrier();

private:
    [[nodiscard]] ending wait(const waitable& what, const std::string& not_open);
    [[nodiscard]] reminder make_reminder() const;
    void verbosely(const std::string& text) const
    {
        if (options_.verbose) say(text);
    }

    gate_options options_;
    std::string name_;
    signals signals_;
    client client_;
};

ending session::run_latch()
{
    pawl::latch gate{client_, options_.key, options_.count};
    if (options_.down == 0) return wait(gate, name_ + " is not open");
    {
        const interruption by_signal{signals_, interruption::ends_process::first_signal};
        gate.count_down(options_.down);
    }
    verbosely("counted " + name_ + " down by " + std::to_string(options_.down));
    return ending::with(exit_code::ok);
}

ending session::run_barrier()
{
    pawl::barrier gate{client_, options_.key, options_.count};
    std::optional<pawl::barrier::arrival> mine;
    {
        const interruption by_signal{signals_, interruption::ends_process::first_signal};
        mine = gate.arrive();
    }
    verbosely("arrived at " + name_);
    return wait(*mine, "not all have arrived at " + name_);
}

ending session::wait(const waitable& what, const std::string& not_open)
{
    interruption by_signal{signals_, interruption::ends_process::no_signal, make_reminder()};
    bool open = true;
    try {
        if (options_.wait) {
            open = what.wait_for(*options_.wait, by_signal.token());
        } else {
            what.wait(by_signal.token());
        }
    } catch (const error& problem) {
        if (problem.code() != errc::cancelled) throw;
    }
    if (const int signal = by_signal.finish(); signal != 0) return ending::by(signal);
    if (open) return ending::with(exit_code::ok);
    verbosely(not_open);
    return ending::with(options_.not_open_code);
}

// As in `pawl run`: only for a terminal, or with --verbose.
reminder session::make_reminder() const
{
    if (!options_.verbose && !is_terminal(STDERR_FILENO)) return {};
    if (options_.wait && *options_.wait <= unexplained_wait) return {};
    std::string line = "waiting for " + name_ + " on " + client_.server();
    line += options_.wait ? ", for " + describe(*options_.wait) + " at most"
                          : ", for as long as it takes";
    return {.at = boot_now() + unexplained_wait, .line = std::move(line)};
}

}  // namespace

int latch(const std::vector<std::string>& arguments)
{
    std::optional<gate_options> options;
    try {
        options = parse_latch_options(arguments);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl latch");
    }
    if (!options) return exit_code::ok;
    tell_default(options->server, "the latch covers this machine only");
    const ending how = session{std::move(*options), "latch"}.run_latch();
    return end_as(how);
}

int barrier(const std::vector<std::string>& arguments)
{
    std::optional<gate_options> options;
    try {
        options = parse_barrier_options(arguments);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl barrier");
    }
    if (!options) return exit_code::ok;
    tell_default(options->server, "the barrier covers this machine only");
    const ending how = session{std::move(*options), "barrier"}.run_barrier();
    return end_as(how);
}

}  // namespace pawl::cli
