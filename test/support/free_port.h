// A TCP port of 127.0.0.1 that was free a moment ago. Another process may take it before the caller
// does. Then the caller must ask for another one.
#pragma once

#include <cstdint>

namespace pawl::test {

[[nodiscard]] std::uint16_t free_port();

}  // namespace pawl::test
