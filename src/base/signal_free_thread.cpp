#include "base/signal_free_thread.h"

#include <signal.h>

namespace pawl::base {
namespace {

// The new thread inherits the mask of the one that starts it.
class all_signals_blocked {
public:
    all_signals_blocked()
    {
        sigset_t all{};
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~all_signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    all_signals_blocked(const all_signals_blocked&) = delete;
    all_signals_blocked& operator=(const all_signals_blocked&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

std::thread signal_free_thread(std::function<void()> body)
{
    const all_signals_blocked guard;
    return std::thread{std::move(body)};
}

}  // namespace pawl::base
