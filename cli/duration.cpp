#include "duration.h"

#include "say.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>

namespace pawl::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest = std::chrono::hours{24 * 366};

// Milliseconds in one unit; nothing if there is no such unit.
[[nodiscard]] std::optional<double> scale_of(std::string_view unit)
{
    if (unit == "ms") return 1;
    if (unit.empty() || unit == "s") return 1'000;
    if (unit == "m") return 60'000;
    if (unit == "h") return 3'600'000;
    return std::nullopt;
}

[[noreturn]] void refuse(std::string_view text)
{
    throw std::invalid_argument{in_quotes(text) +
                                " is not a duration: a number followed by ms, s, m or h, or "
                                "plain seconds, up to a year (500ms, 30s, 1.5m)"};
}

}  // namespace

milliseconds parse_duration(std::string_view text)
{
    // from_chars reads "inf", "nan" and a minus sign too.
    const bool starts_well =
        !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
    if (!starts_well) refuse(text);
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
    if (read.ec != std::errc{}) refuse(text);
    const auto scale = scale_of(text.substr(static_cast<std::size_t>(read.ptr - text.data())));
    if (!scale) refuse(text);
    const double count = std::ceil(number * *scale);
    if (count > static_cast<double>(longest.count())) refuse(text);
    return milliseconds{static_cast<milliseconds::rep>(count)};
}

std::string describe(std::chrono::nanoseconds duration)
{
    using namespace std::chrono;
    if (duration < seconds{1}) {
        return std::to_string(duration_cast<milliseconds>(duration).count()) + " ms";
    }
    const double count = std::chrono::duration<double>{duration}.count();
    std::array<char, 32> text{};
    // With four digits or more, %g would show an exponent.
    std::snprintf(text.data(), text.size(), count < 999.5 ? "%.3g s" : "%.0f s", count);
    return text.data();
}

}  // namespace pawl::cli
