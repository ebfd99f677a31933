#include "run.h"

#include "duration.h"
#include "ending.h"
#include "exit_code.h"
#include "guardian.h"
#include "interruption.h"
#include "nesting.h"
#include "on_lost.h"
#include "periodic.h"
#include "run_lock.h"
#include "run_options.h"
#include "say.h"
#include "server_url.h"
#include "signals.h"
#include "supervised_command.h"
#include "url_option.h"
#include "usage.h"
#include "waiting.h"
#include "wake_up.h"

#include <pawl/local_server.h>
#include <pawl/pawl.h>

#include <algorithm>
#include <system_error>

namespace pawl::cli {
namespace {

// Then --hold-at-least does not delay the end of pawl. The command may have turned the signal into an exit status.
[[nodiscard]] bool is_ended_by_user(const supervised_end& over) noexcept
{
    const int ended_by = shell_status(over.how) - exit_code::signal_base;
    return over.has_passed_on(ended_by) || over.was_typed(ended_by);
}

// Everything that lives as long as the run. The order of the members matters: the guardian is
// forked and the signals are blocked while there is only one thread. The client starts threads, so
// it comes afterwards.
class session {
public:
    explicit session(run_options options);

    [[nodiscard]] ending run();

private:
    [[nodiscard]] client_options make_client_options() const;
    void tell(const event& happened) const;

    [[nodiscard]] bool would_wait_for_itself();
    [[nodiscard]] ending run_command();
    [[nodiscard]] int wait_for_least_time() const;
    [[nodiscard]] bool release(const ending& ended);
    [[nodiscard]] bool server_is_gone() const;
    [[nodiscard]] ending lost();

    [[nodiscard]] std::vector<std::string> environment() const;
    [[nodiscard]] std::string name() const { return name_of(options_); }
    void verbosely(const std::string& text) const;

    run_options options_;
    guardian guard_;
    signals signals_;
    bell bell_;
    client client_;
    run_lock lock_;
    std::optional<periodic> periodic_;  // with --every
    hold hold_;
    boot_time granted_at_{};
};

session::session(run_options options)
    : options_{std::move(options)}, client_{make_client_options()}, lock_{client_, options_}
{
    if (options_.every) periodic_.emplace(client_, options_);
}

client_options session::make_client_options() const
{
    client_options options;
    options.url = options_.server.url;
    // Called on a thread of the client.
    options.on_event = [this](const event& happened) {
        tell(happened);
        bell_.ring();
    };
    if (options_.verbose || is_quorum(options.url)) {
        // Of a quorum, warnings are always shown: without them, nothing says why a lock is waited for.
        options.log = [verbose = options_.verbose](const log_record& one) {
            if (verbose || one.level == log_level::warning) say(one.text);
        };
    }
    return options;
}

void session::tell(const event& happened) const
{
    if (happened.to == hold_state::released) return;
    std::string text = name() + " is " + std::string{to_string(happened.to)};
    if (happened.why != cause::none) text += " (" + std::string{to_string(happened.why)} + ")";
    if (!happened.detail.empty()) text += ": " + happened.detail;
    if (happened.to != hold_state::lost) text += ", valid for " + describe(happened.valid_for);
    verbosely(text);
}

void session::verbosely(const std::string& text) const
{
    if (options_.verbose) say(text);
}

ending session::run()
{
    const boot_time asked_at = boot_now();
    verbosely("asking " + client_.server() + " for " + name());
    if (would_wait_for_itself()) {
        say("this command already runs under " + name() + ": it would wait for itself");
        return ending::with(exit_code::usage);
    }
    wait_result waited = periodic_ ? periodic_->begin(signals_)
                                   : wait_for_lock(*lock_, client_.server(), options_, signals_);
    if (waited.signal != 0) return ending::by(waited.signal);
    if (!waited.held) {
        if (options_.verbose) {
            say(name() + " was not acquired: " +
                (periodic_ ? periodic_->why_not() : "another holder has it"));
        }
        return ending::with(options_.not_acquired_code);
    }
    hold_ = std::move(*waited.held);
    granted_at_ = boot_now();
    verbosely("acquired " + name() + " after " + describe(granted_at_ - asked_at) + ", fence " +
              std::to_string(hold_.fence()) + ", holder " + hold_.id());
    return run_command();
}

bool session::would_wait_for_itself()
{
    // With -n or --every it cannot wait for itself: the lock is just not acquired. Permits of the same
    // semaphore may be free, and readers may be in together.
    const bool waits = options_.wait != std::chrono::milliseconds::zero() && !periodic_;
    const bool has_one_holder = !options_.capacity && options_.side == lock_side::only;
    if (!waits || !has_one_holder || outer_holders().empty()) return false;
    // The server may not answer. Nothing is held yet, so a signal need not wait for the answer.
    const interruption by_signal{signals_, interruption::ends_process::first_signal};
    if (is_quorum(options_.server.url)) {
        return is_held_by_outer_run(node_urls(options_.server.url), options_.key);
    }
    return is_held_by_outer_run(client_, options_.key) ||
           std::ranges::any_of(options_.also, [this](const std::string& key) {
               return is_held_by_outer_run(client_, key);
           });
}

ending session::run_command()
{
    using kind = supervised_end::kind;
    const auto over =
        run_supervised(hold_, {options_.command, environment()},
                       {options_.lease, options_.grace, options_.longest_hold.count() > 0},
                       {.guard = guard_, .all_signals = signals_, .changes = bell_});
    if (over.what == kind::never_started) {
        say(name() + " was lost before the command was started");
        return lost();
    }
    if (over.what == kind::cannot_run) {
        static_cast<void>(release(over.how));
        return over.how;
    }
    if (!over.was_stopped && !over.came_too_late && !over.is_lost) {
        const int signal = is_ended_by_user(over) ? 0 : wait_for_least_time();
        // The command had ended when the signal came: whether it succeeded does not depend on that.
        if (release(over.how)) {
            tell_own_group(over);
            return signal != 0 ? ending::by(signal) : over.how;
        }
    }
    if (!over.was_stopped) say(name() + " was lost while the command ran");
    return lost();
}

// Waits until the time of --hold-at-least is over, a signal comes, or the lock is lost. Returns the
// signal, 0 if none came.
int session::wait_for_least_time() const
{
    const boot_time until = granted_at_ + options_.hold_at_least;
    if (boot_now() >= until) return 0;
    verbosely("keeping " + name() + " for another " + describe(until - boot_now()));
    alarm_clock alarm;
    alarm.set(until);
    while (boot_now() < until && hold_.state() != hold_state::lost) {
        bell_.hush();
        wait_for_any({signals_.fd(), bell_.fd(), alarm.fd()});
        const int signal = signals_.next();
        if (signals::ends_process(signal)) return signal;
        if (signal == SIGTSTP) signals::stop_here();
    }
    return 0;
}

// False if the lock was lost already.
bool session::release(const ending& ended)
{
    try {
        if (periodic_ && shell_status(ended) == exit_code::ok) {
            periodic_->done(hold_);
        } else {
            hold_.release();
        }
        verbosely("released " + name() + " after " + describe(boot_now() - granted_at_));
    } catch (const error& problem) {
        if (problem.code() == errc::lost || server_is_gone()) return false;
        say(std::string{"could not release the lock: "} + problem.what());
    }
    return true;
}

// The server of `local:` keeps nothing on disk. If it has ended, the lock ended with it, and the
// next client starts another server. Any other server that cannot be reached may still have the
// lock.
bool session::server_is_gone() const
{
    if (!options_.server.url.starts_with("local:")) return false;
    try {
        return !local::query().running;
    } catch (const error&) {
        return false;  // it runs, but does not answer
    }
}

ending session::lost()
{
    if (!options_.on_lost.empty()) {
        run_on_lost({{"/bin/sh", "-c", options_.on_lost}, environment()}, signals_, guard_);
    }
    // If the server comes back before the lease ends, the next client need not wait for its end.
    std::error_code ignored;
    hold_.release(ignored);
    return ending::with(exit_code::lost);
}

std::vector<std::string> session::environment() const
{
    return {"PAWL_KEY=" + options_.key, "PAWL_FENCE=" + std::to_string(hold_.fence()),
            "PAWL_HOLDER=" + hold_.id(), "PAWL_OUTER_HOLDERS=" + outer_holders()};
}

using parser = std::optional<run_options> (*)(const std::vector<std::string>& arguments);

[[nodiscard]] int run_parsed(const std::vector<std::string>& arguments, parser parse,
                             const std::string& command)
{
    std::optional<run_options> options;
    try {
        options = parse(arguments);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), command);
    }
    if (!options) return exit_code::ok;
    tell_default(options->server, "the lock covers only this user's processes on this machine");
    // In two steps: before a signal ends pawl, the session has released its lock and dismissed its
    // guardian.
    const ending how = session{std::move(*options)}.run();
    return end_as(how);
}

}  // namespace

int run(const std::vector<std::string>& arguments)
{
    return run_parsed(arguments, parse_run_options, "pawl run");
}

int once(const std::vector<std::string>& arguments)
{
    return run_parsed(arguments, parse_once_options, "pawl once");
}

}  // namespace pawl::cli
