// Judging and showing the short texts within RESP: numbers, lengths, single bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::redis {

// Fit for a log line: of bounded length, and without control characters.
[[nodiscard]] std::string in_quotes(std::string_view text, char quote = '"');
[[nodiscard]] std::string in_quotes(char c);

// The specification gives an integer an optional sign, plus or minus, and one or more digits. So a
// plus and leading zeros are read here, though Redis writes neither and hiredis 0.14 takes neither:
// a server that keeps to the specification shall not lose its connection.
[[nodiscard]] std::optional<std::int64_t> to_integer(std::string_view text) noexcept;

// A length has one or more digits and no sign. One that is too large for the type is as good as the
// largest: both are beyond every limit.
[[nodiscard]] std::optional<std::size_t> to_length(std::string_view text) noexcept;

// Digits, perhaps after a sign.
[[nodiscard]] bool is_whole_number(std::string_view text) noexcept;

// Nobody computes with these here, so this only keeps out what is plainly something else.
[[nodiscard]] bool looks_real(std::string_view text) noexcept;

}  // namespace pawl::redis
