#include "bar_chart.h"

#include "svg.h"

#include <algorithm>
#include <cmath>

namespace pawl::bench {
namespace {

constexpr double width = 760;
constexpr double label_width = 180;
constexpr double value_width = 70;
constexpr double row_height = 26;
constexpr double top = 34;
constexpr double bottom = 26;

// Where on the axis a value lies.
class scale {
public:
    explicit scale(const std::vector<bar>& bars)
    {
        double smallest = bars.front().value;
        for (const bar& each : bars) {
            smallest = std::min(smallest, each.value);
            most_ = std::max(most_, each.most);
        }
        constexpr double too_different = 100;
        logarithmic_ = smallest > 0 && most_ / smallest > too_different;
        least_ = logarithmic_ ? std::pow(10, std::floor(std::log10(smallest)) - 1) : 0;
    }

    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }

    [[nodiscard]] double x(double value) const
    {
        constexpr double room = width - label_width - value_width;
        const double share =
            logarithmic_ ? std::log(std::max(value, least_) / least_) / std::log(most_ / least_)
                         : value / most_;
        return label_width + room * share;
    }

    [[nodiscard]] std::vector<double> ticks() const
    {
        std::vector<double> values;
        if (logarithmic_) {
            for (double at = least_; at <= most_; at *= 10) values.push_back(at);
            return values;
        }
        const double power = std::pow(10, std::floor(std::log10(most_)));
        const double step = most_ / power < 2 ? power / 4 : most_ / power < 5 ? power / 2 : power;
        for (double at = 0; at <= most_; at += step) values.push_back(at);
        return values;
    }

private:
    bool logarithmic_ = false;
    double least_ = 0;
    double most_ = 0;
};

}  // namespace

void write(const bar_chart& what, const std::string& path)
{
    const scale axis{what.bars};
    const double end = top + row_height * static_cast<double>(what.bars.size());
    svg drawing{width, end + bottom};
    drawing.text(0, 15, what.title, svg::anchor::start, 13, true);
    drawing.text(width, 15, what.unit + (axis.logarithmic() ? ", logarithmic" : ""),
                 svg::anchor::end);
    for (const double tick : axis.ticks()) {
        drawing.line(axis.x(tick), top - 4, axis.x(tick), end, "#76839055", 1);
        drawing.text(axis.x(tick), end + 16, short_number(tick), svg::anchor::middle, 11);
    }
    double y = top;
    for (const bar& each : what.bars) {
        const double middle = y + row_height / 2;
        drawing.text(label_width - 8, middle + 4, each.label, svg::anchor::end);
        drawing.bar(label_width, y + 4, axis.x(each.value) - label_width, row_height - 8,
                    each.colour);
        drawing.line(axis.x(each.least), middle, axis.x(each.most), middle, colour::text, 1.5);
        drawing.line(axis.x(each.least), middle - 4, axis.x(each.least), middle + 4, colour::text);
        drawing.line(axis.x(each.most), middle - 4, axis.x(each.most), middle + 4, colour::text);
        drawing.text(axis.x(std::max(each.most, each.value)) + 6, middle + 4,
                     short_number(each.value));
        y += row_height;
    }
    drawing.write(path, what.title);
}

}  // namespace pawl::bench
