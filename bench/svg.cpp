#include "svg.h"

#include "text.h"

#include <cmath>
#include <fstream>
#include <stdexcept>

namespace pawl::bench {
namespace {

std::string attribute(std::string_view name, double value)
{
    return " " + std::string{name} + "=\"" + number(value, 1) + "\"";
}

std::string attribute(std::string_view name, std::string_view value)
{
    return " " + std::string{name} + "=\"" + std::string{value} + "\"";
}

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '<') {
            result += "&lt;";
        } else if (c == '&') {
            result += "&amp;";
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace

void svg::bar(double x, double y, double width, double height, std::string_view fill)
{
    body_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
             attribute("height", height) + attribute("fill", fill) + "/>\n";
}

void svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
               bool dashed)
{
    body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
             attribute("y2", y2) + attribute("stroke", stroke) + attribute("stroke-width", width) +
             (dashed ? " stroke-dasharray=\"5 4\"" : "") + "/>\n";
}

void svg::dot(double x, double y, std::string_view fill)
{
    constexpr double radius = 3.5;
    body_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) +
             attribute("fill", fill) + "/>\n";
}

void svg::text(double x, double y, std::string_view what, anchor where, double size, bool bold)
{
    const std::string_view side = where == anchor::start    ? "start"
                                  : where == anchor::middle ? "middle"
                                                            : "end";
    body_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("text-anchor", side) +
             attribute("font-size", size) + (bold ? " font-weight=\"bold\"" : "") + ">" +
             escaped(what) + "</text>\n";
}

void svg::write(const std::string& path, std::string_view title) const
{
    std::ofstream out{path, std::ios::trunc};
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << number(width_, 0) << ' '
        << number(height_, 0) << "\" width=\"" << number(width_, 0) << "\" height=\""
        << number(height_, 0) << "\" font-family=\"sans-serif\" fill=\"" << colour::text
        << "\" role=\"img\">\n<title>" << escaped(title) << "</title>\n"
        << body_ << "</svg>\n";
    out.close();
    if (!out) throw std::runtime_error{"cannot write " + path};
}

std::string short_number(double value)
{
    const double size = std::abs(value);
    const auto scaled = [](double part, std::string_view unit) {
        return number(part, part < 100 && part != std::floor(part) ? 1 : 0) + std::string{unit};
    };
    if (size >= 1e6) return scaled(value / 1e6, " M");
    if (size >= 1e4) return scaled(value / 1e3, " k");
    return number(value, size < 10 && value != std::floor(value) ? 2 : 0);
}

}  // namespace pawl::bench
