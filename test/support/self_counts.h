// The threads and descriptors of this process, as the kernel counts them.
#pragma once

#include <cstddef>

namespace pawl::test {

// Threads that have been joined are not counted.
[[nodiscard]] std::size_t thread_count();
[[nodiscard]] std::size_t descriptor_count();

}  // namespace pawl::test
