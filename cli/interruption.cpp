#include "interruption.h"

#include "ending.h"
#include "say.h"

#include <unistd.h>

#include <utility>

namespace pawl::cli {

interruption::interruption(const signals& signals, second_signal then, reminder remind)
    : signals_{signals}, then_{then}, reminder_{std::move(remind)}, thread_{[this] { listen(); }}
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
    while (then_ == second_signal::ends_process || !stop_.stop_requested()) {
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
        if (signal_ != 0) ::_exit(end_as(ending::by(signal)));
        signal_ = signal;
        stop_.request_stop();
    }
}

}  // namespace pawl::cli
