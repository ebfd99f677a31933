// A TCP port of 127.0.0.1 on which nobody listened a moment ago. Someone may take it before the
// caller does: who binds it must be ready to ask for another.
#pragma once

#include <cstdint>

namespace pawl::test {

[[nodiscard]] std::uint16_t free_port();

}  // namespace pawl::test
