// Small scripts that a server and its double must take alike.
#pragma once

#include <span>
#include <string_view>

namespace pawl::test {

// Values, errors and prohibitions, one script for each. None depends on the time.
[[nodiscard]] std::span<const std::string_view> small_scripts();

// Each runs the command whose words are its arguments, in one way or another.
[[nodiscard]] std::span<const std::string_view> wrappers();

}  // namespace pawl::test
