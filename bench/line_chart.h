// Lines over a logarithmic axis of counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

struct series {
    struct point {
        double x = 0;
        double y = 0;
    };

    std::string label;
    std::string_view colour;
    std::vector<point> points;  // from left to right
};

struct line_chart {
    std::string title;
    double target = 0;  // a dashed line there; 0: none
    std::vector<series> lines;
};

void write(const line_chart& what, const std::string& path);

}  // namespace pawl::bench
