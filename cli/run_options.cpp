#include "run_options.h"

#include "duration.h"
#include "flock_options.h"
#include "once_help.h"
#include "run_help.h"
#include "say.h"
#include "server_url.h"
#include "shared_options.h"
#include "url_option.h"
#include "usage.h"

#include <algorithm>
#include <string>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

using words = std::vector<std::string>;

// pawl run can only exclude other processes, and memory: is private to this one.
constexpr const char* no_memory =
    "a lock on memory: would exclude nothing, because each process has its own memory:; "
    "for this user's processes on this machine, use local:";

// The words for pawl and the words of the command. The command begins after `--`, or at the first
// word after KEY that is not an option. Its words are not examined.
struct halves {
    words ours;
    words command;
    bool divided = false;
};

[[nodiscard]] bool takes_value(const CLI::App& app, const std::string& name)
{
    const CLI::Option* const option = app.get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_max() > 0;
}

// Whether the value of this option is the next word.
[[nodiscard]] bool wants_next_word(const CLI::App& app, const std::string& word)
{
    if (word.starts_with("--")) return takes_value(app, word);  // false for --wait=5
    for (std::size_t i = 1; i < word.size(); ++i) {
        // In -nw5 the value is 5. In -nw it is the next word.
        if (takes_value(app, {'-', word[i]})) return i + 1 == word.size();
    }
    return false;
}

[[nodiscard]] halves divide(const CLI::App& app, const words& arguments)
{
    bool has_key = false;
    std::size_t at = 0;
    for (; at < arguments.size(); ++at) {
        const std::string& word = arguments[at];
        if (word == "--") break;
        if (word.size() > 1 && word.front() == '-') {
            if (wants_next_word(app, word)) ++at;
        } else if (has_key) {
            break;
        } else {
            has_key = true;
        }
    }
    halves result;
    result.divided = at < arguments.size();
    auto rest = arguments.begin() + static_cast<std::ptrdiff_t>(std::min(at, arguments.size()));
    result.ours.assign(arguments.begin(), rest);
    if (result.divided && *rest == "--") ++rest;
    result.command.assign(rest, arguments.end());
    return result;
}

// A key that begins with a dash comes after a separate `--`: pawl run -- -key -- COMMAND
[[nodiscard]] bool has_key_of_its_own(const halves& line)
{
    return line.divided && line.command.size() >= 2 && line.command[1] == "--";
}

[[nodiscard]] bool is_number(const std::string& word)
{
    return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

struct line_values {
    run_options options;
    CLI::Option* key = nullptr;
    std::string shell_command;
    CLI::Option* shell = nullptr;
    server_options server;
    bool no_wait = false;
    bool exclusive = false;  // has no effect: a lock is exclusive unless --shared is given
    bool shared = false;
    bool writer = false;
    std::optional<milliseconds> grace;
    std::optional<unsigned> permits;
};

void define_waiting(CLI::App& app, line_values& to)
{
    app.add_flag("-n,--nonblock,--nb", to.no_wait, "Do not wait for the lock");
    add_wait_limit(app, to.options.wait, to.options.not_acquired_code, "the lock was not acquired");
}

void define_lock(CLI::App& app, line_values& to)
{
    add_url(app, to.server);
    add_require_remote(app, to.server);
    add_duration(app, "--lease", "How long the lock outlives pawl at most (default 30s)",
                 [&to](milliseconds value) { to.options.lease = value; });
    add_grace(app, to.grace);
    app.add_option("--on-lost", to.options.on_lost,
                   "Run this through the shell when the lock was lost")
        ->type_name("COMMAND");
    add_duration(app, "--hold-at-least", "Keep the lock this long even if the command ends sooner",
                 [&to](milliseconds value) { to.options.hold_at_least = value; });
    add_duration(app, "--longest-hold",
                 "End the command before it has had the lock for longer than this",
                 [&to](milliseconds value) { to.options.longest_hold = value; });
}

void define_permits(CLI::App& app, line_values& to)
{
    constexpr unsigned largest = 1'000'000;
    const auto add = [&](const char* name, std::optional<unsigned>& value, const char* text) {
        app.add_option(name, value, text)
            ->type_name("NUMBER")
            ->check(CLI::Range(1U, largest).description(""));
    };
    add("--capacity", to.options.capacity,
        "KEY is a semaphore with this many permits, and not a lock");
    add("--permits", to.permits, "Take this many permits (default 1); needs --capacity");
}

void define_kinds(CLI::App& app, line_values& to)
{
    app.add_option("--also", to.options.also,
                   "Take this lock too, all or none; may be given several times")
        ->type_name("KEY")
        ->allow_extra_args(false);
    app.add_flag("-s,--shared", to.shared, "Share the lock with other commands that give --shared");
    app.add_flag("--writer", to.writer, "Exclude all commands that give --shared or --writer");
}

void define_every(CLI::App& app, line_values& to)
{
    add_duration(app, "--every", "Run the command at most once in each period of this length",
                 [&to](milliseconds value) { to.options.every = value; });
    app.add_flag("--aligned", to.options.aligned,
                 "Periods begin at multiples of --every by the server's clock, in UTC");
    app.add_flag("--retry-failed", to.options.retry_failed,
                 "A run whose command fails or is killed does not count");
}

void define_command(CLI::App& app, line_values& to)
{
    to.key = app.add_option("KEY", to.options.key, "The name of the lock")->type_name("");
    to.shell = app.add_option("-c,--command", to.shell_command, "Run this through the shell")
                   ->type_name("STRING");
}

void define_verbose(CLI::App& app, line_values& to)
{
    app.add_flag("-v,--verbose", to.options.verbose, "Report on stderr what happens to the lock");
}

class run_command_line : public command_line {
public:
    run_command_line()
        : command_line{
              "pawl run",
              "Runs a command while holding a lock, and ends it before the lock is lost.",
              {"pawl run [OPTIONS] KEY [--] COMMAND [ARG...]", "pawl run [OPTIONS] KEY -c STRING"}}
    {
        define(*this, given);
        explain(run_explanation());
    }

    line_values given;

private:
    static void define(CLI::App& app, line_values& to);
};

void run_command_line::define(CLI::App& app, line_values& to)
{
    define_command(app, to);
    define_waiting(app, to);
    define_lock(app, to);
    define_permits(app, to);
    define_kinds(app, to);
    define_every(app, to);
    define_verbose(app, to);
    app.add_flag("-x,-e,--exclusive", to.exclusive,
                 "For users of flock: a lock is exclusive anyway");
    refuse_flock_options(app);
}

class once_command_line : public command_line {
public:
    once_command_line()
        : command_line{"pawl once",
                       "Runs a command at most once in each period, on all machines together.",
                       {"pawl once --every DURATION [OPTIONS] KEY [--] COMMAND [ARG...]",
                        "pawl once --every DURATION [OPTIONS] KEY -c STRING"}}
    {
        define_command(*this, given);
        define_every(*this, given);
        define_lock(*this, given);
        define_verbose(*this, given);
        explain(once_explanation());
        given.options.not_acquired_code = exit_code::ok;
    }

    line_values given;
};

[[noreturn]] void refuse_missing_key(const halves& line)
{
    if (line.command.empty()) refuse("KEY is missing: KEY COMMAND [ARG...]");
    refuse("KEY comes before --: KEY -- COMMAND [ARG...]");
}

void refuse_missing_command(const std::string& key)
{
    std::string text = "the command is missing: KEY COMMAND [ARG...]";
    if (is_number(key)) {
        text += "; pawl cannot lock a descriptor, as flock " + key +
                " does: put the protected work into a command, or into -c STRING";
    }
    refuse(text);
}

void refuse_forgotten_url(const std::string& word)
{
    if (begins_as_remote(word)) refuse(in_quotes(word) + " is a server: write --url before it");
}

void take_key_and_command(halves& line, line_values& to)
{
    if (to.key->count() == 0) {
        if (!has_key_of_its_own(line)) refuse_missing_key(line);
        to.options.key = line.command[0];
        line.command.erase(line.command.begin(), line.command.begin() + 2);
    }
    refuse_forgotten_url(to.options.key);
    if (!line.command.empty()) refuse_forgotten_url(line.command.front());
    const bool shell = to.shell->count() > 0;
    if (shell && line.divided) refuse("give the command either with -c or after KEY, not both");
    if (!shell && line.command.empty()) refuse_missing_command(to.options.key);
    to.options.command = shell ? words{"/bin/sh", "-c", to.shell_command} : std::move(line.command);
}

void take_permits(line_values& to)
{
    if (!to.permits) return;
    const auto capacity = to.options.capacity;
    if (!capacity) refuse("--permits needs --capacity: how many permits there are");
    if (*to.permits > *capacity) {
        refuse("--permits " + std::to_string(*to.permits) + " is more than --capacity " +
               std::to_string(*capacity));
    }
    to.options.permits = *to.permits;
}

void take_kind(line_values& to)
{
    run_options& options = to.options;
    if (to.shared && to.exclusive) refuse("--shared and --exclusive cannot be used together");
    if (to.shared && to.writer) refuse("--shared and --writer cannot be used together");
    if (to.shared) options.side = lock_side::reader;
    if (to.writer) options.side = lock_side::writer;
    const char* const kind = to.shared ? "--shared" : "--writer";
    const bool has_sides = options.side != lock_side::only;
    if (has_sides && options.capacity) {
        refuse(std::string{kind} + " and --capacity cannot be used together");
    }
    for (const std::string& each : options.also) refuse_forgotten_url(each);
    if (options.also.empty()) return;
    if (has_sides) refuse(std::string{kind} + " and --also cannot be used together");
    if (options.capacity) refuse("--capacity and --also cannot be used together");
}

void take_every(const line_values& from)
{
    const run_options& options = from.options;
    if (!options.every) {
        if (options.aligned) refuse("--aligned needs --every: how long a period is");
        if (options.retry_failed) refuse("--retry-failed needs --every: how long a period is");
        return;
    }
    if (options.wait > 0ms) refuse("--every does not wait: -w cannot be used with it");
    if (options.capacity) refuse("--every and --capacity cannot be used together");
    if (options.side != lock_side::only) {
        refuse("--every and " + std::string{from.shared ? "--shared" : "--writer"} +
               " cannot be used together");
    }
    if (!options.also.empty()) refuse("--every and --also cannot be used together");
}

void take_longest_hold(run_options& options)
{
    if (options.longest_hold == 0ms) return;
    if (options.hold_at_least > options.longest_hold) {
        refuse("--hold-at-least of " + describe(options.hold_at_least) +
               " is longer than --longest-hold of " + describe(options.longest_hold));
    }
    options.lease = std::min(options.lease, options.longest_hold);
}

template <class CommandLine>
[[nodiscard]] std::optional<run_options> parse(const words& arguments)
{
    CommandLine app;
    halves line = divide(app, arguments);
    if (!app.understand(line.ours)) return std::nullopt;
    take_key_and_command(line, app.given);
    run_options& options = app.given.options;
    options.server = choose_server(app.given.server, remote::as_required, no_memory);
    take_longest_hold(options);
    options.grace = choose_grace(app.given.grace, options.lease);
    take_no_wait(app.given.no_wait, options.wait);
    take_permits(app.given);
    take_kind(app.given);
    take_every(app.given);
    return std::move(options);
}

}  // namespace

std::string name_of(const run_options& options)
{
    if (options.also.empty()) return "the lock " + in_quotes(options.key);
    std::string text = "the set of locks " + in_quotes(options.key);
    for (const std::string& each : options.also) text += ", " + in_quotes(each);
    return text;
}

std::optional<run_options> parse_run_options(const words& arguments)
{
    return parse<run_command_line>(arguments);
}

std::optional<run_options> parse_once_options(const words& arguments)
{
    auto options = parse<once_command_line>(arguments);
    if (options && !options->every) refuse("--every is missing: how long a period is");
    return options;
}

page run_page()
{
    return run_command_line{}.describe();
}

page once_page()
{
    return once_command_line{}.describe();
}

}  // namespace pawl::cli
