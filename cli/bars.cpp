#include "bars.h"

#include "common/columns.h"
#include "figures.h"
#include "log_buckets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

namespace pawl::cli {
namespace {

constexpr std::size_t most_lines = 12;
constexpr std::size_t least_bar = 10;  // on a screen too narrow even for this, lines wrap
constexpr std::size_t indent = 2;

[[nodiscard]] std::string percent_text(double share)
{
    if (share > 0 && share < 0.0005) return " <0.1 %";
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%5.1f %%", share * 100);
    return text.data();
}

[[nodiscard]] std::string ascii_bar(double share, std::size_t width)
{
    const auto columns = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
    std::string text(share > 0 ? std::max<std::size_t>(columns, 1) : 0, '#');
    return text;
}

[[nodiscard]] std::string block_bar(double share, std::size_t width)
{
    constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    auto eighths = static_cast<std::size_t>(std::lround(share * static_cast<double>(width) * 8));
    if (share > 0) eighths = std::max<std::size_t>(eighths, 1);
    std::string text;
    for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
    return text.append(parts.at(eighths % 8));
}

}  // namespace

std::string bar(double share, std::size_t width, charset chars)
{
    const double checked = std::clamp(share, 0.0, 1.0);
    return chars == charset::utf8 ? block_bar(checked, width) : ascii_bar(checked, width);
}

std::string draw_bars(const common::latency_histogram& times, std::size_t columns, charset chars)
{
    const std::vector<log_bucket> buckets = log_buckets(times, most_lines);
    std::vector<std::string> labels;
    std::size_t widest = 0;
    std::uint64_t tallest = 1;
    for (const log_bucket& each : buckets) {
        labels.push_back(range_text(each.from, each.to, chars));
        widest = std::max(widest, common::width_of(labels.back()));
        tallest = std::max(tallest, each.count);
    }
    // Two blanks behind the label, one before the percentage.
    const std::size_t others = indent + widest + 2 + 1 + common::width_of(percent_text(1));
    const std::size_t width = std::max(columns, others + least_bar) - others;

    std::string text;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const auto count = static_cast<double>(buckets[i].count);
        text += std::string(indent, ' ') + common::right_aligned(labels[i], widest) + "  ";
        text += common::left_aligned(bar(count / static_cast<double>(tallest), width, chars),
                                     width + 1);
        text += percent_text(count / static_cast<double>(times.count())) + "\n";
    }
    return text;
}

}  // namespace pawl::cli
