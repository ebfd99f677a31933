#include "store/memory/platform.h"

namespace pawl::store::memory {

bool platform::pause(base::boot_time until, const base::interrupt* stop)
{
    const base::call_under_way mark{*this};
    return server_->time().wait(until, stop, [] { return false; });
}

}  // namespace pawl::store::memory
