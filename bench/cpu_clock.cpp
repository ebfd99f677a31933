#include "cpu_clock.h"

#include <system_error>

namespace pawl::bench {

cpu_clock::cpu_clock(pid_t whose)
{
    const int problem = ::clock_getcpuclockid(whose, &clock_);
    if (problem != 0) throw std::system_error{problem, std::generic_category(), "processor time"};
}

double cpu_clock::us() const
{
    timespec time{};
    ::clock_gettime(clock_, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

}  // namespace pawl::bench
