// What this process has open, as the kernel counts it.
#pragma once

#include <cstddef>

namespace pawl::test {

[[nodiscard]] std::size_t thread_count();
[[nodiscard]] std::size_t descriptor_count();

}  // namespace pawl::test
