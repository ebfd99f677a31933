#include "support/self_counts.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

namespace pawl::test {

namespace {

std::size_t entries(const char* directory)
{
    const std::filesystem::directory_iterator all{directory};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Whether this thread has ended, or is about to. The kernel lists it for a moment after join().
bool is_exiting(const std::filesystem::path& task)
{
    std::string line;
    std::getline(std::ifstream{task / "stat"}, line);
    const std::size_t name_end = line.rfind(')');
    if (name_end == line.npos) return true;  // it is gone already
    std::istringstream fields{line.substr(name_end + 1)};
    std::string skipped;
    for (int i = 0; i < 6; ++i) fields >> skipped;  // proc(5): state to tpgid
    unsigned flags = 0;
    fields >> flags;
    constexpr unsigned exiting = 0x4;  // PF_EXITING
    return (flags & exiting) != 0;
}

}  // namespace

std::size_t thread_count()
{
    // A sanitizer starts a thread of its own together with the first one of the program. It is to be
    // counted from the beginning.
    static std::once_flag first;
    std::call_once(first, [] { std::thread{[] {}}.join(); });
    const std::filesystem::directory_iterator all{"/proc/self/task"};
    return static_cast<std::size_t>(std::count_if(
        begin(all), end(all), [](const auto& task) { return !is_exiting(task.path()); }));
}

std::size_t descriptor_count()
{
    return entries("/proc/self/fd") - 1;  // less the one that reads the directory
}

}  // namespace pawl::test
