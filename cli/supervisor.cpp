#include "supervisor.h"

#include "duration.h"
#include "say.h"

#include <algorithm>
#include <string>
#include <utility>

namespace pawl::cli {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

milliseconds kill_margin(milliseconds lease) noexcept
{
    return std::clamp<milliseconds>(lease / 10, 2ms, 200ms);
}

supervisor::supervisor(const hold& hold, child& child, guardian& guard, const signals& signals,
                       terminal& terminal, const bell& bell, supervision settings)
    : hold_{hold},
      child_{child},
      guard_{guard},
      signals_{signals},
      terminal_{terminal},
      bell_{bell},
      settings_{settings},
      margin_{kill_margin(settings.lease)}
{
    ::sigemptyset(&passed_on_);
}

void supervisor::prepare()
{
    const boot_time now = boot_now();
    note_deadline(now, now + hold_.valid_for());
    tell_guardian();
    if (unguarded_) {
        throw std::system_error{std::make_error_code(std::errc::no_child_process),
                                "cannot start the guardian process"};
    }
}

void supervisor::run()
{
    for (;;) {
        bell_.hush();
        read_signals();
        if (child_.has_ended()) break;
        look_at_lock();
        alarm_.set(next_look(boot_now()));
        wait_for_any({signals_.fd(), bell_.fd(), alarm_.fd()});
    }
    // A new or missing guardian knows no deadline, so it cannot have killed the command.
    too_late_ = told_deadline_ != boot_time{} && boot_now() >= guardian_kills_at();
}

// ── Signals and the terminal ────────────────────────────────────────────────────────────────────

void supervisor::read_signals()
{
    while (const int signal = signals_.next()) handle(signal);
}

void supervisor::handle(int signal)
{
    if (signal == SIGCHLD) {
        if (const int stop = child_.stopped_by()) child_stopped(stop);
        if (guard_.has_ended()) guardian_ended();
    } else if (signal == SIGCONT) {
        child_continued();
    } else {
        ::sigaddset(&passed_on_, signal);
        child_.signal(signal);
    }
}

void supervisor::child_stopped(int signal)
{
    const bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
    if (wants_terminal && terminal_.give_to(child_.group())) {
        child_.signal(SIGCONT);
        return;
    }
    // Without a terminal no shell would continue pawl. The child stays stopped, and pawl goes on
    // renewing.
    if (!terminal_.exists()) return;
    had_terminal_ = terminal_.is_given();
    terminal_.take_back();
    // The keyboard's SIGTSTP went to the child's group only. The other processes of pawl's own
    // group belong to the same job.
    if (had_terminal_) ::kill(0, SIGTSTP);
    signals::stop_here();
}

void supervisor::child_continued()
{
    if (had_terminal_) terminal_.give_to(child_.group());
    child_.signal(SIGCONT);
}

// ── The lock ────────────────────────────────────────────────────────────────────────────────────

void supervisor::look_at_lock()
{
    // In this order: the computed deadline is never too late, and a hold that is lost between the
    // two calls counts as lost, not as expired.
    const boot_time now = boot_now();
    const std::chrono::nanoseconds valid_for = hold_.valid_for();
    if (hold_.state() == hold_state::lost) {
        note_loss(now);
    } else {
        note_deadline(now, now + valid_for);
    }
    tell_guardian();
    if (now >= term_at_ && !terminated_) terminate();
    if (now >= kill_at_ && !killed_) {
        killed_ = true;
        say("ending the command by SIGKILL");
        child_.signal(SIGKILL);
    }
}

void supervisor::note_deadline(boot_time now, boot_time deadline)
{
    deadline_ = deadline;
    kill_at_ = deadline_ - margin_;
    term_at_ = kill_at_ - settings_.grace;
    if (now < term_at_) terminated_ = false;
}

void supervisor::note_loss(boot_time now)
{
    if (lost_) return;
    lost_ = true;
    term_at_ = now;
    kill_at_ = std::min(kill_at_, now + settings_.grace);
}

void supervisor::terminate()
{
    terminated_ = true;
    intervened_ = true;
    // A hold that is not in jeopardy comes near its deadline only at the end of its longest time.
    const bool is_over = settings_.limited && hold_.state() == hold_state::held;
    const std::string why{to_string(is_over ? cause::held_too_long : hold_.why())};
    say(lost_ ? "the lock " + in_quotes(hold_.name()) + " is lost (" + why + "): ending the command"
              : "the lock " + in_quotes(hold_.name()) + " will be lost in " +
                    describe(deadline_ - boot_now()) + " (" + why + "): ending the command");
    child_.signal(SIGTERM);
    // A stopped process would not act on SIGTERM.
    child_.signal(SIGCONT);
}

// ── The guardian ────────────────────────────────────────────────────────────────────────────────

// Half the margin before the deadline: after pawl's own SIGKILL, and still in time.
boot_time supervisor::guardian_kills_at() const noexcept
{
    return told_deadline_ - margin_ / 2;
}

// Each look computes the deadline again, with small differences. Those are not reported.
void supervisor::tell_guardian()
{
    if (deadline_ - told_deadline_ < 1ms) return;
    told_deadline_ = deadline_;
    const bool was_unguarded =
        std::exchange(unguarded_, !guard_.watch(child_.group(), guardian_kills_at()));
    if (!unguarded_) return;
    told_deadline_ = {};
    if (was_unguarded) return;
    say("the guardian process ended and none can be started: if pawl is killed, the command runs "
        "on");
}

// The guardian was killed. The lock is still held, so the command goes on. The next look at the
// lock starts another guardian, which does not know the deadline yet.
void supervisor::guardian_ended()
{
    if (!unguarded_) say("the guardian process was killed; starting another");
    told_deadline_ = {};
}

boot_time supervisor::next_look(boot_time now) const noexcept
{
    // A renewal causes no event, but the guardian must know the new deadline.
    boot_time next = now + std::max<milliseconds>(settings_.lease / 6, 1ms);
    if (!terminated_) next = std::min(next, term_at_);
    if (!killed_) next = std::min(next, kill_at_);
    return next;
}

}  // namespace pawl::cli
