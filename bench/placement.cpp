#include "placement.h"

#include <cerrno>
#include <cstddef>
#include <sched.h>
#include <system_error>

namespace pawl::bench {
namespace {

[[noreturn]] void fail()
{
    throw std::system_error{errno, std::generic_category(), "pin to one processor"};
}

}  // namespace

void pin_to_one_processor()
{
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) fail();
    std::size_t last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &allowed)) --last;

    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) fail();
}

}  // namespace pawl::bench
