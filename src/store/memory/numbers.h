// Reads and writes numbers like Redis, independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pawl::store::memory {

// Only the shortest form is accepted: no plus, no leading zeros, no spaces.
[[nodiscard]] std::optional<std::int64_t> to_whole(std::string_view text) noexcept;

enum class beyond_range { is_none, is_infinite };

// A score. A plus, an exponent and inf are allowed. Nothing for NaN.
[[nodiscard]] std::optional<double> to_real(std::string_view text,
                                            beyond_range large = beyond_range::is_none) noexcept;

// The text of a number, without heap memory.
class number_text {
public:
    explicit number_text(std::int64_t whole) noexcept;
    explicit number_text(double real) noexcept;  // 17 digits, like %.17g

    [[nodiscard]] std::string_view view() const noexcept { return {text_, size_}; }

private:
    char text_[32]{};
    std::size_t size_;
};

}  // namespace pawl::store::memory
