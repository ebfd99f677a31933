// Checks and shows the short texts in RESP: numbers, lengths, single bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::redis {

// For a log line: with a bounded length, and without control characters.
[[nodiscard]] std::string in_quotes(std::string_view text, char quote = '"');
[[nodiscard]] std::string in_quotes(char c);

// In the specification an integer has an optional sign, plus or minus, and one or more digits. So a
// plus and leading zeros are accepted here, although Redis writes neither and hiredis 0.14 accepts
// neither: a server that follows the specification must not lose its connection.
[[nodiscard]] std::optional<std::int64_t> to_integer(std::string_view text) noexcept;

// A length has one or more digits and no sign. If it is too large for the type, the result is the
// largest value: both exceed every limit.
[[nodiscard]] std::optional<std::size_t> to_length(std::string_view text) noexcept;

// Digits, optionally after a sign.
[[nodiscard]] bool is_whole_number(std::string_view text) noexcept;

// The value is not used here, so this only refuses texts that are obviously not real numbers.
[[nodiscard]] bool looks_real(std::string_view text) noexcept;

}  // namespace pawl::redis
