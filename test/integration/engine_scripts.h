// Small scripts that a server and the engine must handle in the same way.
#pragma once

#include <span>
#include <string_view>

namespace pawl::test {

// Values, errors and prohibitions, one script for each. None depends on the time.
[[nodiscard]] std::span<const std::string_view> small_scripts();

// Each runs the command that its arguments name, each in a different way.
[[nodiscard]] std::span<const std::string_view> wrappers();

}  // namespace pawl::test
