#include "supervised_command.h"

#include "exit_code.h"
#include "say.h"
#include "terminal.h"

#include <system_error>

namespace pawl::cli {
namespace {

// pawl was stopped, or the machine was, for about as long as the lease. The command would be killed
// at once.
[[nodiscard]] supervised_end never_started(child& child, guardian& guard)
{
    child.signal(SIGKILL);
    guard.forget();
    child.reap();
    return {.what = supervised_end::kind::never_started};
}

[[nodiscard]] supervised_end cannot_run(child& child, guardian& guard, const command& what,
                                        int error_number)
{
    guard.forget();
    child.reap();
    say("cannot run " + in_quotes(what.words.front()) + ": " +
        std::generic_category().message(error_number));
    return {.what = supervised_end::kind::cannot_run,
            .how = ending::with(exit_code_of_exec_failure(error_number))};
}

}  // namespace

supervised_end run_supervised(const hold& held, const command& what, const supervision& settings,
                              const session_parts& parts)
{
    auto& [guard, all_signals, changes] = parts;
    terminal terminal;
    child child{what, all_signals, guard};
    supervisor supervisor{held, child, guard, all_signals, terminal, changes, settings};
    supervisor.prepare();
    if (held.valid_for() <= kill_margin(settings.lease)) return never_started(child, guard);
    if (terminal::is_on_stdin_and_stdout()) terminal.give_to(child.group());
    const int error_number = child.start();
    if (error_number != 0) return cannot_run(child, guard, what, error_number);
    supervisor.run();

    supervised_end over{.was_stopped = supervisor.has_intervened(),
                        .came_too_late = supervisor.came_too_late(),
                        .is_lost = held.state() == hold_state::lost,
                        .had_terminal = terminal.is_given(),
                        .passed_on = supervisor.passed_on()};
    // Processes of the group that outlived the command must not outlive the lock.
    if (over.was_stopped || over.came_too_late || over.is_lost) child.signal(SIGKILL);
    guard.forget();
    terminal.take_back();
    over.how = child.reap();
    if (shell_status(over.how) > exit_code::signal_base) terminal.restore_modes();
    return over;
}

void tell_own_group(const supervised_end& over) noexcept
{
    if (over.was_typed(over.how.signal)) ::kill(0, over.how.signal);
}

}  // namespace pawl::cli
