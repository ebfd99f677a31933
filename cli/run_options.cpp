#include "run_options.h"

#include "duration.h"
#include "supervisor.h"
#include "url_option.h"
#include "usage.h"

#include <algorithm>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

using words = std::vector<std::string>;

constexpr const char* footer =
    R"(Durations: 500ms, 30s, 5m, 2h; a plain number is seconds; fractions are allowed.

The command finds PAWL_KEY, PAWL_FENCE and PAWL_HOLDER in its environment; a pawl run
in it that would wait for a lock it runs under fails at once, with 64. The command runs
in a process group of its own, which gets the signals that pawl gets. When the lock
is about to be lost the group gets SIGTERM and, after the grace period, SIGKILL; when
pawl itself is killed the group is killed at once. A command suspended with Ctrl-Z
does not renew its lock, and is killed when the lease ends. What it leaves running in
the background when it ends runs on without the lock.

Exit status: that of the command. When a signal ended the command or the wait, pawl
ends by the same signal, which a shell shows as 128+n. Otherwise:
  64  wrong usage              75  not acquired (see -E)
  65  the key is not a lock    77  refused by the server (ACL, TLS, memory)
  69  server unreachable       79  the lock was lost before it was given back
  70  internal error           126, 127  the command cannot be run, is not there)";

// Other processes are all that a lock of the shell's could exclude.
constexpr const char* no_memory =
    "a lock on memory: would exclude nobody, for each process has a memory: of its own; "
    "for this machine only, use local:";

// What stands before the first `--` is ours and what stands after it the command's, word by word.
struct halves {
    words ours;
    words command;
    bool divided = false;
};

[[nodiscard]] halves divide(const words& arguments)
{
    const auto mark = std::ranges::find(arguments, "--");
    halves result;
    result.ours.assign(arguments.begin(), mark);
    if (mark == arguments.end()) return result;
    result.divided = true;
    result.command.assign(mark + 1, arguments.end());
    return result;
}

// A key that begins with a dash comes after a `--` of its own: pawl run -- -key -- COMMAND
[[nodiscard]] bool has_key_of_its_own(const halves& line)
{
    return line.divided && line.command.size() >= 2 && line.command[1] == "--";
}

struct parsed {
    run_options options;
    CLI::Option* key = nullptr;
    std::string shell_command;
    CLI::Option* shell = nullptr;
    CLI::Option* url = nullptr;
    bool no_wait = false;
    std::optional<milliseconds> grace;
};

void define_waiting(CLI::App& app, parsed& to)
{
    app.add_flag("-n,--nonblock", to.no_wait, "Do not wait for the lock");
    add_duration(app, "-w,--wait", "Wait no longer than this",
                 [&to](milliseconds value) { to.options.wait = value; });
    app.add_option("-E,--conflict-exit-code", to.options.not_acquired_code,
                   "Exit status when the lock was not acquired; 75 unless given")
        ->type_name("CODE")
        ->check(CLI::Range(0, 255).description(""));
}

void define_lock(CLI::App& app, parsed& to)
{
    to.url = add_url(app, to.options.url);
    add_duration(app, "--lease", "How long the lock outlives pawl at most; 30s unless given",
                 [&to](milliseconds value) { to.options.lease = value; });
    add_duration(app, "--grace",
                 "From SIGTERM to SIGKILL; 5s or a quarter of the lease unless given",
                 [&to](milliseconds value) { to.grace = value; });
    app.add_option("--on-lost", to.options.on_lost, "Run by the shell when the lock was lost")
        ->type_name("COMMAND");
    add_duration(app, "--hold-at-least", "Keep the lock this long even if the command ends sooner",
                 [&to](milliseconds value) { to.options.hold_at_least = value; });
}

void define(CLI::App& app, parsed& to)
{
    to.key = app.add_option("KEY", to.options.key, "The name of the lock")->type_name("");
    to.shell = app.add_option("-c,--command", to.shell_command, "Run this through the shell")
                   ->type_name("STRING");
    define_waiting(app, to);
    define_lock(app, to);
    app.add_flag("-v,--verbose", to.options.verbose, "Tell on stderr what happens to the lock");
    app.footer(footer);
}

void take_key_and_command(halves& line, parsed& to)
{
    if (to.key->count() == 0) {
        if (!has_key_of_its_own(line)) refuse("there is no KEY: KEY -- COMMAND [ARG...]");
        to.options.key = line.command[0];
        line.command.erase(line.command.begin(), line.command.begin() + 2);
    }
    const bool shell = to.shell->count() > 0;
    if (shell && line.divided) refuse("give the command either with -c or after --, not both");
    if (!shell && line.command.empty()) refuse("there is no command: KEY -- COMMAND [ARG...]");
    to.options.command = shell ? words{"/bin/sh", "-c", to.shell_command} : std::move(line.command);
}

void take_no_wait(parsed& to)
{
    if (!to.no_wait) return;
    if (to.options.wait) refuse("-n and -w do not go together");
    to.options.wait = 0ms;
}

// A lock that is renewed as it should be, each third of the lease, is never valid for less than two
// thirds, drift and a round trip aside. If SIGTERM came earlier than that, it would come always.
void take_grace(parsed& to)
{
    run_options& options = to.options;
    options.grace = to.grace.value_or(std::min<milliseconds>(5s, options.lease / 4));
    const milliseconds most =
        std::max<milliseconds>(options.lease * 3 / 5 - kill_margin(options.lease), 0ms);
    if (!to.grace || options.grace <= most) return;
    refuse("--grace of " + describe(options.grace) + " does not fit into a --lease of " +
           describe(options.lease) + ": with this lease " + describe(most) + " at most");
}

}  // namespace

std::optional<run_options> parse_run_options(const words& arguments)
{
    command_line app{"pawl run",
                     "Runs a command while holding a lock, and ends it before the lock is lost.",
                     "pawl run [OPTIONS] KEY -- COMMAND [ARG...]\n"
                     "       pawl run [OPTIONS] KEY -c STRING"};
    parsed result;
    define(app, result);
    halves line = divide(arguments);
    try {
        if (!app.understand(line.ours)) return std::nullopt;
    } catch (const CLI::ExtrasError& unknown) {
        if (line.divided || result.key->count() == 0) throw;
        refuse(std::string{unknown.what()} + "; a command comes after --");
    }
    take_key_and_command(line, result);
    result.options.url_is_default = take_url(*result.url, result.options.url, no_memory);
    take_grace(result);
    take_no_wait(result);
    return std::move(result.options);
}

}  // namespace pawl::cli
