#include "interruption.h"

#include "ending.h"
#include "say.h"

#include <unistd.h>

#include <utility>

namespace pawl::cli {

interruption::interruption(const signals& signals, ends_process when, reminder remind)
    : signals_{signals}, when_{when}, reminder_{std::move(remind)}, thread_{[this] { listen(); }}
{
}

int interruption::finish()
{
    over_.ring();
    if (thread_.joinable()) thread_.join();
    return signal_;
}

void interruption::listen()
{
    alarm_.set(reminder_.at);
    while (when_ != ends_process::no_signal || !stop_.stop_requested()) {
        wait_for_any({signals_.fd(), over_.fd(), alarm_.fd()});
        if (over_.has_rung()) return;
        remind();
        handle(signals_.next());
    }
}

void interruption::remind()
{
    if (boot_now() < reminder_.at) return;
    say(reminder_.line);
    reminder_.at = never;
    alarm_.set(never);
}

void interruption::handle(int signal)
{
    if (signal == SIGTSTP) {
        signals::stop_here();
    } else if (signals::ends_process(signal)) {
        if (signal_ != 0 || when_ == ends_process::first_signal) {
            ::_exit(end_as(ending::by(signal)));
        }
        signal_ = signal;
        stop_.request_stop();
    }
}

}  // namespace pawl::cli
