#include "memory_use.h"

#include <fstream>
#include <malloc.h>
#include <stdexcept>
#include <unistd.h>

namespace pawl::bench {

memory_use look_at_memory()
{
    ::malloc_trim(0);
    std::ifstream statm{"/proc/self/statm"};
    double all_pages = 0;
    double resident_pages = 0;
    statm >> all_pages >> resident_pages;
    if (!statm) throw std::runtime_error{"cannot read /proc/self/statm"};
    const struct mallinfo2 heap = ::mallinfo2();
    return {.resident = resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE)),
            .allocated = static_cast<double>(heap.uordblks) + static_cast<double>(heap.hblkhd)};
}

}  // namespace pawl::bench
