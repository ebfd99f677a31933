#include "base/signal_free_thread.h"

#include "base/signals_blocked.h"

namespace pawl::base {

std::thread signal_free_thread(std::function<void()> body)
{
    const signals_blocked guard;
    return std::thread{std::move(body)};
}

}  // namespace pawl::base
