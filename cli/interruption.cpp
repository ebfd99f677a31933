#include "interruption.h"

#include "ending.h"

#include <unistd.h>

namespace pawl::cli {

interruption::interruption(const signals& signals, second_signal then)
    : signals_{signals}, then_{then}, thread_{[this] { listen(); }}
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
    while (then_ == second_signal::ends_process || !stop_.stop_requested()) {
        wait_for_any({signals_.fd(), over_.fd()});
        if (over_.has_rung()) return;
        handle(signals_.next());
    }
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
