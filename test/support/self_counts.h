// What this process has open, as the kernel counts it.
#pragma once

#include <cstddef>

namespace pawl::test {

// Threads that have been joined are not among them.
[[nodiscard]] std::size_t thread_count();
[[nodiscard]] std::size_t descriptor_count();

}  // namespace pawl::test
