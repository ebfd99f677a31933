// Drawings as SVG. They have no background, and colours that can be read on white and on black.
#pragma once

#include <string>
#include <string_view>

namespace pawl::bench {

namespace colour {
inline constexpr std::string_view ours = "#2f81f7";
inline constexpr std::string_view limit = "#8b949e";
inline constexpr std::string_view theirs = "#d18616";
inline constexpr std::string_view third = "#3fb950";
inline constexpr std::string_view text = "#768390";
inline constexpr std::string_view bad = "#e5534b";
}  // namespace colour

class svg {
public:
    enum class anchor { start, middle, end };

    svg(double width, double height) : width_{width}, height_{height} {}

    void bar(double x, double y, double width, double height, std::string_view fill);
    void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
              bool dashed = false);
    void dot(double x, double y, std::string_view fill);
    void text(double x, double y, std::string_view what, anchor where = anchor::start,
              double size = 12, bool bold = false);

    // Throws when the file cannot be written.
    void write(const std::string& path, std::string_view title) const;

private:
    double width_;
    double height_;
    std::string body_;
};

// 12,345 as 12.3 k: for axes and bars, where there is little room.
[[nodiscard]] std::string short_number(double value);

}  // namespace pawl::bench
