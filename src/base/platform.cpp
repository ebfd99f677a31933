#include "base/platform.h"

#include "base/random.h"
#include "base/thread_mark.h"

namespace pawl::base {

double system_platform::random_unit()
{
    return system_random_unit();
}

std::string system_platform::random_id()
{
    return base::random_id();
}

std::uint64_t system_platform::thread_mark() const noexcept
{
    return base::thread_mark();
}

bool system_platform::pause(boot_time until, const interrupt* stop)
{
    return wait_for(-1, 0, until, stop) != wait_end::interrupted;
}

}  // namespace pawl::base
