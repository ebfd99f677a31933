#include "lead.h"

#include "complaints.h"
#include "duration.h"
#include "ending.h"
#include "exit_code.h"
#include "guardian.h"
#include "interruption.h"
#include "lead_options.h"
#include "lead_watch.h"
#include "nesting.h"
#include "say.h"
#include "screen.h"
#include "signals.h"
#include "supervised_command.h"
#include "url_option.h"
#include "usage.h"
#include "wake_up.h"

#include <pawl/pawl.h>

#include <csignal>
#include <initializer_list>
#include <optional>
#include <system_error>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

// Shorter waits need no explanation.
constexpr std::chrono::seconds unexplained_wait{1};

// Before it campaigns again, if the server cannot be reached or refuses the request.
constexpr std::chrono::seconds pause_without_server{1};

// If the server refuses a request so soon, that is probably a mistake in the settings.
constexpr std::chrono::seconds start_time{1};

// The order of the members matters, as in `pawl run`: the guardian is forked and the signals are blocked while there
// is only one thread.
class session {
public:
    explicit session(lead_options options);

    [[nodiscard]] ending run();

private:
    [[nodiscard]] client_options make_client_options() const;

    // These return how pawl ends, or nothing if it goes on.
    [[nodiscard]] std::optional<ending> check_server();
    [[nodiscard]] std::optional<ending> campaign();
    [[nodiscard]] bool may_pass(const std::error_code& problem) const;
    [[nodiscard]] std::optional<ending> pause();
    [[nodiscard]] std::optional<ending> run_command();
    [[nodiscard]] std::optional<ending> stopped(const supervised_end& over) const;

    void resign();
    [[nodiscard]] reminder make_reminder();
    [[nodiscard]] std::vector<std::string> environment() const;
    [[nodiscard]] std::string name() const { return in_quotes(options_.key); }
    void verbosely(const std::string& text) const
    {
        if (options_.verbose) say(text);
    }

    lead_options options_;
    guardian guard_;
    signals signals_;
    bell bell_;
    client client_;
    pawl::leader leader_;
    pawl::leader::term term_;
    boot_time started_at_ = boot_now();
    complaints complaints_;
    bool has_led_ = false;
    bool has_waited_ = false;
};

session::session(lead_options options)
    : options_{std::move(options)},
      client_{make_client_options()},
      leader_{client_, options_.key, {.lease = options_.lease}, options_.candidate}
{
}

client_options session::make_client_options() const
{
    client_options options;
    options.url = options_.server.url;
    // Called on a thread of the client.
    options.on_event = [this](const event&) { bell_.ring(); };
    if (options_.verbose) {
        options.log = [](const log_record& one) { say(one.text); };
    }
    return options;
}

ending session::run()
{
    if (const auto over = check_server()) return *over;
    for (;;) {
        if (const auto over = campaign()) return *over;
        if (!term_) continue;
        complaints_.clear();
        has_led_ = true;
        verbosely("leads " + name() + " with the payload " + in_quotes(options_.payload) +
                  ", fence " + std::to_string(term_.fence()) + ", holder " + term_.id());
        if (const auto over = run_command()) return *over;
    }
}

// A server that is not there at the start is probably a mistake. Later it is not: pawl waits until it is back.
std::optional<ending> session::check_server()
{
    const interruption by_signal{signals_, interruption::ends_process::first_signal};
    client_.ping();
    return std::nullopt;
}

// Afterwards it leads, unless the server could not be reached or refused it.
std::optional<ending> session::campaign()
{
    interruption by_signal{signals_, interruption::ends_process::no_signal, make_reminder()};
    try {
        term_ = leader_.campaign(options_.payload, by_signal.token());
    } catch (const error& problem) {
        if (may_pass(problem.code())) {
            if (complaints_.is_due(problem.what(), boot_now())) say(problem.what());
        } else if (problem.code() != errc::cancelled) {
            throw;
        }
    }
    // The signal may have come at the moment of the grant.
    if (const int signal = by_signal.finish(); signal != 0) {
        if (term_) resign();
        return ending::by(signal);
    }
    return term_ ? std::nullopt : pause();
}

// Later than at the start, a refusal may pass too: the memory of the server may be full for some time, or an operator
// changes the ACL rule.
bool session::may_pass(const std::error_code& problem) const
{
    if (problem == errc::unreachable) return true;
    return problem == errc::refused && (has_led_ || boot_now() - started_at_ > start_time);
}

std::optional<ending> session::pause()
{
    const boot_time until = boot_now() + pause_without_server;
    alarm_clock alarm;
    alarm.set(until);
    while (boot_now() < until) {
        wait_for_any({signals_.fd(), alarm.fd()});
        const int signal = signals_.next();
        if (signals::ends_process(signal)) return ending::by(signal);
        if (signal == SIGTSTP) signals::stop_here();
    }
    return std::nullopt;
}

// As in `pawl run`: only for a terminal, or with --verbose; and here only once.
reminder session::make_reminder()
{
    if (std::exchange(has_waited_, true)) return {};
    if (!options_.verbose && !is_terminal(STDERR_FILENO)) return {};
    return {.at = boot_now() + unexplained_wait,
            .line = "waiting to lead " + name() + " on " + client_.server()};
}

std::optional<ending> session::run_command()
{
    using kind = supervised_end::kind;
    const auto over = run_supervised(term_, {options_.command, environment()},
                                     {.lease = options_.lease, .grace = options_.grace},
                                     {.guard = guard_, .all_signals = signals_, .changes = bell_});
    if (over.what == kind::never_started) {
        say("the lead of " + name() + " was lost before the command was started");
    }
    resign();
    if (over.what == kind::never_started) return std::nullopt;
    if (over.was_stopped || over.came_too_late) return stopped(over);
    tell_own_group(over);
    return over.how;
}

// pawl ended the command. It campaigns again, unless a user has asked for the end meanwhile. The command may have
// survived other signals: a service may read its settings again when it gets SIGHUP.
std::optional<ending> session::stopped(const supervised_end& over) const
{
    for (const int signal : {SIGTERM, SIGINT}) {
        if (over.has_passed_on(signal)) return ending::by(signal);
    }
    if (over.has_passed_on(shell_status(over.how) - exit_code::signal_base)) return over.how;
    say("waiting to lead " + name() + " again");
    return std::nullopt;
}

// If the term was lost, this lets the server forget it sooner.
void session::resign()
{
    try {
        term_.resign();
        verbosely("resigned from " + name());
    } catch (const error& problem) {
        if (problem.code() != errc::lost) {
            say(std::string{"could not resign: "} + problem.what());
        }
    }
    term_ = {};
}

std::vector<std::string> session::environment() const
{
    std::vector<std::string> lines{
        "PAWL_KEY=" + options_.key, "PAWL_FENCE=" + std::to_string(term_.fence()),
        "PAWL_HOLDER=" + term_.id(), "PAWL_OUTER_HOLDERS=" + outer_holders()};
    lines.push_back("PAWL_PAYLOAD=" + options_.payload);
    return lines;
}

[[nodiscard]] ending do_task(lead_options options)
{
    switch (options.what) {
    case lead_options::task::who: return show_leader(options);
    case lead_options::task::watch: return watch_leaders(options);
    case lead_options::task::lead: break;
    }
    return session{std::move(options)}.run();
}

}  // namespace

int lead(const std::vector<std::string>& arguments)
{
    std::optional<lead_options> options;
    try {
        options = parse_lead_options(arguments);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl lead");
    }
    if (!options) return exit_code::ok;
    tell_default(options->server, "only this user's processes on this machine are candidates");
    // In two steps: before a signal ends pawl, the session has resigned and dismissed its guardian.
    const ending how = do_task(std::move(*options));
    return end_as(how);
}

}  // namespace pawl::cli
