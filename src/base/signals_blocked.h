// Blocks all signals in this thread while it exists. Threads that are started meanwhile inherit the
// mask.
#pragma once

#include <signal.h>

namespace pawl::base {

class signals_blocked {
public:
    signals_blocked() noexcept
    {
        sigset_t all{};
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

    // The mask before. It is restored at the end.
    [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

private:
    sigset_t before_{};
};

}  // namespace pawl::base
