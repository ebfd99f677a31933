// Bars from left to right with a whisker from the least to the most. The scale is logarithmic when
// the bars differ more than one can see otherwise, and says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl::bench {

struct bar {
    std::string label;
    double value = 0;
    double least = 0;
    double most = 0;
    std::string_view colour;
};

struct bar_chart {
    std::string title;
    std::string unit;
    std::vector<bar> bars;  // at least one
};

void write(const bar_chart& what, const std::string& path);

}  // namespace pawl::bench
