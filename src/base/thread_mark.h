// Identifies a thread. A std::thread::id may be reused when its thread has ended, and then another
// thread would be taken for the owner.
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
