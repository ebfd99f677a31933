#include "line_chart.h"

#include "svg.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl::bench {
namespace {

constexpr double width = 760;
constexpr double height = 320;
constexpr double left = 60;
constexpr double right = 160;  // where the names of the lines are
constexpr double top = 34;
constexpr double bottom = 34;

class axes {
public:
    explicit axes(const line_chart& what)
    {
        most_y_ = what.target;
        for (const series& line : what.lines) {
            for (const series::point& each : line.points) {
                least_x_ = std::min(least_x_, each.x);
                most_x_ = std::max(most_x_, each.x);
                most_y_ = std::max(most_y_, each.y);
            }
        }
        least_x_ = std::min(least_x_, most_x_);
        most_x_ = std::max(most_x_, least_x_ * 10);
        most_y_ = most_y_ > 0 ? most_y_ * 1.08 : 1;
    }

    [[nodiscard]] double x(double value) const
    {
        return left +
               (width - left - right) * std::log(value / least_x_) / std::log(most_x_ / least_x_);
    }

    [[nodiscard]] double y(double value) const
    {
        return height - bottom - (height - top - bottom) * value / most_y_;
    }

    void draw(svg& drawing) const
    {
        constexpr std::string_view pale = "#76839055";
        for (double at = least_x_; at <= most_x_ * 1.01; at *= 10) {
            drawing.line(x(at), top, x(at), height - bottom, pale);
            drawing.text(x(at), height - bottom + 18, short_number(at), svg::anchor::middle, 11);
        }
        const double power = std::pow(10, std::floor(std::log10(most_y_)));
        const double step = most_y_ / power < 2   ? power / 4
                            : most_y_ / power < 5 ? power / 2
                                                  : power;
        for (double at = 0; at <= most_y_; at += step) {
            drawing.line(left, y(at), width - right, y(at), pale);
            drawing.text(left - 8, y(at) + 4, short_number(at), svg::anchor::end, 11);
        }
    }

private:
    double least_x_ = std::numeric_limits<double>::max();
    double most_x_ = 1;
    double most_y_ = 0;
};

void draw(svg& drawing, const axes& over, const series& what)
{
    for (std::size_t i = 0; i < what.points.size(); ++i) {
        const double x = over.x(what.points[i].x);
        const double y = over.y(what.points[i].y);
        if (i > 0) {
            drawing.line(over.x(what.points[i - 1].x), over.y(what.points[i - 1].y), x, y,
                         what.colour, 2);
        }
        drawing.dot(x, y, what.colour);
    }
}

}  // namespace

void write(const line_chart& what, const std::string& path)
{
    const axes over{what};
    svg drawing{width, height};
    drawing.text(0, 15, what.title, svg::anchor::start, 13, true);
    over.draw(drawing);
    if (what.target > 0) {
        drawing.line(left, over.y(what.target), width - right, over.y(what.target), colour::bad,
                     1.5, true);
        drawing.text(width - right + 8, over.y(what.target) + 4, "target");
    }
    double legend = top + 4;
    for (const series& each : what.lines) {
        draw(drawing, over, each);
        drawing.dot(width - right + 14, legend, each.colour);
        drawing.text(width - right + 24, legend + 4, each.label);
        legend += 20;
    }
    drawing.write(path, what.title);
}

}  // namespace pawl::bench
