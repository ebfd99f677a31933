// Watches the command and its lock until the command has ended.
//
//   the lock                                     the command's group gets
//   is held, the deadline far                    the signals that pawl gets, and nothing else
//   is valid for the grace period and a margin   SIGTERM
//   is valid for the margin only                 SIGKILL: before the deadline, not after it
//   is about to reach its longest hold           the same, as its deadline cannot become later
//   is lost early: deleted, taken                SIGTERM at once; SIGKILL after the grace period, or
//                                                when the deadline comes, whichever is sooner
//
// If a renewal succeeds in time, SIGKILL is not sent, but SIGTERM has been sent already.
#pragma once

#include "child.h"
#include "guardian.h"
#include "signals.h"
#include "terminal.h"
#include "wake_up.h"

#include <pawl/hold.h>

#include <chrono>

namespace pawl::cli {

struct supervision {
    std::chrono::milliseconds lease{};
    std::chrono::milliseconds grace{};
    bool limited = false;  // the hold ends at a certain time, although it is renewed
};

// How long before the deadline SIGKILL is sent, so that it has arrived in time even on a busy
// machine.
[[nodiscard]] std::chrono::milliseconds kill_margin(std::chrono::milliseconds lease) noexcept;

class supervisor {
public:
    // The bell must be rung whenever the state of the hold changes.
    supervisor(const hold& hold, child& child, guardian& guard, const signals& signals,
               terminal& terminal, const bell& bell, supervision settings);

    // Tells the guardian what to watch. Must be called before the child starts. Throws
    // std::system_error if there is no guardian and none can be started.
    void prepare();

    // Returns when the child has ended.
    void run();

    // Whether pawl ended the command because of the lock.
    [[nodiscard]] bool has_intervened() const noexcept { return intervened_; }

    // The signals that pawl got and passed on to the command.
    [[nodiscard]] const sigset_t& passed_on() const noexcept { return passed_on_; }

    // Whether pawl was stopped or hung for so long that the guardian killed the command.
    [[nodiscard]] bool came_too_late() const noexcept { return too_late_; }

private:
    void read_signals();
    void handle(int signal);
    void child_stopped(int signal);
    void child_continued();
    void look_at_lock();
    void note_deadline(boot_time now, boot_time deadline);
    void note_loss(boot_time now);
    void terminate();
    void tell_guardian();
    void guardian_ended();
    [[nodiscard]] boot_time guardian_kills_at() const noexcept;
    [[nodiscard]] boot_time next_look(boot_time now) const noexcept;

    const hold& hold_;
    child& child_;
    guardian& guard_;
    const signals& signals_;
    terminal& terminal_;
    const bell& bell_;
    supervision settings_;
    std::chrono::milliseconds margin_;
    alarm_clock alarm_;

    boot_time deadline_{};       // the last known deadline
    boot_time told_deadline_{};  // the deadline that the guardian knows; 0: none
    boot_time term_at_{};
    boot_time kill_at_{};
    sigset_t passed_on_{};
    bool lost_ = false;
    bool terminated_ = false;
    bool killed_ = false;
    bool intervened_ = false;
    bool too_late_ = false;
    bool unguarded_ = false;
    bool had_terminal_ = false;  // before the child was stopped
};

}  // namespace pawl::cli
