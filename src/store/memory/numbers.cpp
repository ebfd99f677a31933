#include "store/memory/numbers.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace pawl::store::memory {

std::optional<std::int64_t> to_whole(std::string_view text) noexcept
{
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc{} || stop != end) return std::nullopt;
    const auto digits = text.substr(text.front() == '-' ? 1 : 0);
    if (digits.front() == '0' && text.size() > 1) return std::nullopt;
    return number;
}

std::optional<double> to_real(std::string_view text, beyond_range large) noexcept
{
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return std::nullopt;
    }
    double number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (stop != end || problem == std::errc::invalid_argument || std::isnan(number)) {
        return std::nullopt;
    }
    if (problem == std::errc{}) return number;
    if (large == beyond_range::is_none) return std::nullopt;
    // With a negative exponent, the number is too small, not too large.
    if (text.find("e-") != text.npos || text.find("E-") != text.npos) return 0;
    constexpr auto infinity = std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -infinity : infinity;
}

number_text::number_text(std::int64_t whole) noexcept
    : size_{static_cast<std::size_t>(std::to_chars(std::begin(text_), std::end(text_), whole).ptr -
                                     text_)}
{
}

number_text::number_text(double real) noexcept
    : size_{static_cast<std::size_t>(
          std::to_chars(std::begin(text_), std::end(text_), real, std::chars_format::general, 17)
              .ptr -
          text_)}
{
}

}  // namespace pawl::store::memory
