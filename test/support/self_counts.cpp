#include "support/self_counts.h"

#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>

namespace pawl::test {

namespace {

std::size_t entries(const char* directory)
{
    const std::filesystem::directory_iterator all{directory};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

std::size_t thread_count()
{
    // A sanitizer starts a thread of its own together with the first one of the program. It is to be
    // counted from the beginning.
    static std::once_flag first;
    std::call_once(first, [] { std::thread{[] {}}.join(); });
    return entries("/proc/self/task");
}

std::size_t descriptor_count()
{
    return entries("/proc/self/fd") - 1;  // less the one that reads the directory
}

}  // namespace pawl::test
