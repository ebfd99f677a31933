// Numbers as Redis reads and writes them, in every locale alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pawl::store::memory {

// Only the shortest form: no plus, no leading zeros, no spaces.
[[nodiscard]] std::optional<std::int64_t> to_whole(std::string_view text) noexcept;

enum class beyond_range { is_none, is_infinite };

// A score: also with a plus, an exponent, or inf. Not a number is none.
[[nodiscard]] std::optional<double> to_real(std::string_view text,
                                            beyond_range large = beyond_range::is_none) noexcept;

// The text of a number, without memory from the heap.
class number_text {
public:
    explicit number_text(std::int64_t whole) noexcept;
    explicit number_text(double real) noexcept;  // 17 digits, as %.17g has them

    [[nodiscard]] std::string_view view() const noexcept { return {text_, size_}; }

private:
    char text_[32]{};
    std::size_t size_;
};

}  // namespace pawl::store::memory
