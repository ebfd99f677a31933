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

// Whether this thread has ended or is ending. The kernel lists a thread for a moment after join().
bool is_exiting(const std::filesystem::path& task)
{
    std::string line;
    std::getline(std::ifstream{task / "stat"}, line);
    const std::size_t name_end = line.rfind(')');
    if (name_end == line.npos) return true;  // it has ended already
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
    // A sanitizer starts its own thread together with the first thread of the program. It must be
    // counted from the beginning.
    static std::once_flag first;
    std::call_once(first, [] { std::thread{[] {}}.join(); });
    const std::filesystem::directory_iterator all{"/proc/self/task"};
    return static_cast<std::size_t>(std::count_if(
        begin(all), end(all), [](const auto& task) { return !is_exiting(task.path()); }));
}

std::size_t descriptor_count()
{
    return entries("/proc/self/fd") - 1;  // without the one that reads the directory
}

}  // namespace pawl::test
