#include "text.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace pawl::bench {
namespace {

// Characters, not bytes: µ and × have two.
std::size_t width_of(const std::string& text)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string number(double value, int digits)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

std::string times(double ratio)
{
    return number(ratio, ratio < 0.1 ? 4 : ratio < 100 ? 2 : 0);
}

void print_rows(std::ostream& out, const std::vector<row>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const row& each : rows) {
        for (std::size_t i = 0; i < each.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(each[i]));
        }
    }
    for (const row& each : rows) {
        for (std::size_t i = 0; i < each.size(); ++i) {
            const std::string padding(widths[i] - width_of(each[i]), ' ');
            out << (i == 0 ? each[i] + padding : "  " + padding + each[i]);
        }
        out << '\n';
    }
}

}  // namespace pawl::bench
