// Text in columns, for terminals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::common {

// The number of columns: characters, not bytes. No wide characters are used.
[[nodiscard]] inline std::size_t width_of(std::string_view text) noexcept
{
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Padded with blanks on the left.
[[nodiscard]] inline std::string right_aligned(std::string_view text, std::size_t width)
{
    return std::string(width - std::min(width, width_of(text)), ' ').append(text);
}

// Padded with blanks on the right.
[[nodiscard]] inline std::string left_aligned(std::string_view text, std::size_t width)
{
    return std::string{text} + std::string(width - std::min(width, width_of(text)), ' ');
}

using row = std::vector<std::string>;

// A line for each row. The first column is left-aligned, the others right-aligned. There must be at
// least one row, and all must have as many cells as the first.
[[nodiscard]] inline std::string lay_out(const std::vector<row>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const row& cells : rows) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(cells[i]));
        }
    }
    std::string text;
    for (const row& cells : rows) {
        text += left_aligned(cells[0], widths[0]);
        for (std::size_t i = 1; i < cells.size(); ++i) {
            text += "  " + right_aligned(cells[i], widths[i]);
        }
        text += "\n";
    }
    return text;
}

}  // namespace pawl::common
