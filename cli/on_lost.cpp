#include "on_lost.h"

#include "say.h"
#include "wake_up.h"

#include <string>

namespace pawl::cli {
namespace {

// A process that waits for pawl's end must not wait forever.
constexpr std::chrono::seconds limit{60};

}  // namespace

void run_on_lost(const command& what, const signals& signals, guardian& guard)
{
    child child{what, signals, guard};
    const boot_time kill_at = boot_now() + limit;
    static_cast<void>(guard.watch(child.group(), kill_at));
    alarm_clock alarm;
    alarm.set(kill_at);
    static_cast<void>(child.start());  // the shell always exists
    while (!child.has_ended()) {
        wait_for_any({signals.fd(), alarm.fd()});
        while (const int signal = signals.next()) {
            if (signal != SIGCHLD) child.signal(signal);
        }
        if (boot_now() >= kill_at) {
            child.signal(SIGKILL);
            alarm.set(never);
        }
    }
    guard.forget();
    const int status = shell_status(child.reap());
    if (status != 0) say("the --on-lost command ended with status " + std::to_string(status));
}

}  // namespace pawl::cli
