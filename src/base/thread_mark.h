// Tells threads apart for good. A std::thread::id is used again as soon as its thread has ended, and
// then a stranger would pass for the owner.
#pragma once

#include <atomic>
#include <cstdint>

namespace pawl::base {

// Never the same for two threads of a process.
[[nodiscard]] inline std::uint64_t thread_mark() noexcept
{
    static std::atomic<std::uint64_t> last{0};
    thread_local const std::uint64_t mine = ++last;
    return mine;
}

}  // namespace pawl::base
