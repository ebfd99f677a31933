#include "shared_options.h"

#include "duration.h"
#include "supervisor.h"
#include "usage.h"

#include <algorithm>

namespace pawl::cli {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

void add_wait_limit(CLI::App& app, std::optional<milliseconds>& wait, int& conflict_code,
                    const std::string& when)
{
    add_duration(app, "-w,--wait,--timeout", "Wait at most this long",
                 [&wait](milliseconds value) { wait = value; });
    app.add_option("-E,--conflict-exit-code", conflict_code,
                   "Exit status when " + when + " (default 75)")
        ->type_name("CODE")
        ->check(CLI::Range(0, 255).description(""));
}

void take_no_wait(bool no_wait, std::optional<milliseconds>& wait)
{
    if (!no_wait) return;
    if (wait) refuse("-n and -w cannot be used together");
    wait = 0ms;
}

void add_grace(CLI::App& app, std::optional<milliseconds>& grace)
{
    add_duration(app, "--grace",
                 "Time from SIGTERM to SIGKILL (default 5s, at most a quarter of the lease)",
                 [&grace](milliseconds value) { grace = value; });
}

// Renewals come after each third of the lease. So a hold is never valid for less than two thirds of
// it, apart from drift and a round trip. A grace period that begins earlier than that would send
// SIGTERM to every command.
milliseconds choose_grace(std::optional<milliseconds> given, milliseconds lease)
{
    if (!given) return std::min<milliseconds>(5s, lease / 4);
    const milliseconds most = std::max<milliseconds>(lease * 3 / 5 - kill_margin(lease), 0ms);
    if (*given > most) {
        refuse("--grace of " + describe(*given) + " does not fit into a --lease of " +
               describe(lease) + ": with this lease " + describe(most) + " at most");
    }
    return *given;
}

}  // namespace pawl::cli
