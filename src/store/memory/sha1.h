// The hash that names a script.
#pragma once

#include <array>
#include <string_view>

namespace pawl::store::memory {

// SHA-1 in hexadecimal digits, in lower case.
struct sha1_text {
    std::array<char, 40> digits;

    [[nodiscard]] std::string_view view() const noexcept { return {digits.data(), digits.size()}; }
};

[[nodiscard]] sha1_text sha1(std::string_view text);

}  // namespace pawl::store::memory
