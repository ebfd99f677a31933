#include "table.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace pawl::bench {
namespace {

using row = std::vector<std::string>;

std::string number(double value, int digits)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

// Ratios lie between thousandths and thousands.
std::string times(double ratio)
{
    return number(ratio, ratio < 0.1 ? 4 : ratio < 100 ? 2 : 0);
}

// Characters, not bytes: µ and × have two.
std::size_t width_of(const std::string& text)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

row heading(const workload& what)
{
    row cells{""};
    for (const metric each : what.metrics) {
        cells.emplace_back(describe(each).heading);
        if (each == what.metrics.front()) cells.emplace_back("(least – most)");
    }
    for (const contender each : what.references) {
        cells.push_back("× " + std::string{title_in(what, each)});
    }
    return cells;
}

row figures(const comparison& result, const contestant& who)
{
    const workload& what = *result.what;
    row cells{std::string{title_in(what, who.kind)}};
    for (const metric each : what.metrics) {
        const metric_description& shown = describe(each);
        const summary found = who.of(each);
        cells.push_back(number(shown.shows_largest ? found.most : found.median, shown.digits));
        if (each != what.metrics.front()) continue;
        cells.push_back("(" + number(found.least, shown.digits) + " – " +
                        number(found.most, shown.digits) + ")");
    }
    for (const contender each : what.references) {
        const bool itself = each == who.kind;
        const summary found = who.compared_with(result.find(each), what.metrics.front());
        cells.push_back(itself || found.median == 0 ? "" : times(found.median));
    }
    return cells;
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

}  // namespace

void print_table(std::ostream& out, const comparison& result)
{
    out << '\n' << result.what->title << ", over " << result.over << '\n';
    std::vector<row> rows{heading(*result.what)};
    for (const contestant& each : result.contestants) {
        if (each.failure.empty()) rows.push_back(figures(result, each));
    }
    print_rows(out, rows);
    for (const contestant& each : result.contestants) {
        if (each.failure.empty()) continue;
        out << title_in(*result.what, each.kind) << " failed: " << each.failure << '\n';
    }
    out.flush();
}

}  // namespace pawl::bench
