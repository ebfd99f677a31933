#include "figures.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace pawl::cli {
namespace {

using std::chrono::nanoseconds;

struct unit {
    double ns;
    std::string_view utf8;
    std::string_view ascii;
};

constexpr std::array<unit, 4> units{
    {{1, "ns", "ns"}, {1e3, "µs", "us"}, {1e6, "ms", "ms"}, {1e9, "s", "s"}}};

// The largest unit in which the value, rounded to three digits, is at least 1.
[[nodiscard]] const unit& unit_of(nanoseconds duration) noexcept
{
    const auto fits = [duration](const unit& each) {
        return static_cast<double>(duration.count()) / each.ns < 999.5;
    };
    const auto* const found = std::ranges::find_if(units, fits);
    return found == units.end() ? units.back() : *found;
}

[[nodiscard]] std::string name_of(const unit& which, charset chars)
{
    return std::string{chars == charset::utf8 ? which.utf8 : which.ascii};
}

[[nodiscard]] double in(const unit& which, nanoseconds duration) noexcept
{
    return static_cast<double>(duration.count()) / which.ns;
}

[[nodiscard]] std::string round_number(nanoseconds duration)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", in(unit_of(duration), duration));
    return text.data();
}

}  // namespace

std::string latency_text(nanoseconds duration, charset chars)
{
    const unit& which = unit_of(duration);
    const double value = in(which, duration);
    const bool whole = value >= 99.95 || which.ns == 1;
    const int decimals = whole ? 0 : value >= 9.995 ? 1 : 2;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f ", decimals, value);
    return text.data() + name_of(which, chars);
}

std::string range_text(nanoseconds from, nanoseconds to, charset chars)
{
    const unit& first = unit_of(from);
    const unit& second = unit_of(to);
    std::string text = round_number(from);
    // Zero is the same in every unit.
    if (&first != &second && from > nanoseconds::zero()) text += " " + name_of(first, chars);
    return text + " - " + round_number(to) + " " + name_of(second, chars);
}

std::string count_text(std::uint64_t count)
{
    std::string text = std::to_string(count);
    for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
    return text;
}

}  // namespace pawl::cli
