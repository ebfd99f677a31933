#include "table.h"

#include "text.h"

#include "common/columns.h"

#include <ostream>
#include <string>
#include <vector>

namespace pawl::bench {
namespace {

constexpr std::string_view nothing = "–";

common::row heading(const workload& what)
{
    common::row cells{""};
    for (const metric each : what.metrics) {
        cells.emplace_back(describe(each).heading);
        if (each == what.metrics.front()) cells.emplace_back("(least – most)");
    }
    for (const contender each : what.references) {
        cells.push_back("× " + std::string{title_in(what, each)});
    }
    return cells;
}

// ✓ or ✗ after a figure that has a target.
std::string mark(const std::vector<verdict>& verdicts, const contestant& who, metric what,
                 std::optional<contender> reference)
{
    for (const verdict& each : verdicts) {
        const bool compared = each.what->compared_with == target::against::reference;
        if (each.what->compared_with == target::against::best_peer || !each.reached) continue;
        if (each.what->who != who.kind || each.what->what != what) continue;
        if (compared != reference.has_value()) continue;
        if (compared && each.what->reference != *reference) continue;
        return each.met() ? " ✓" : " ✗";
    }
    return "";
}

common::row figures(const comparison& result, const std::vector<verdict>& verdicts,
                    const contestant& who)
{
    const workload& what = *result.what;
    common::row cells{who.title};
    for (const metric each : what.metrics) {
        const metric_description& shown = describe(each);
        const auto found = who.of(each);
        cells.push_back(
            found ? number(shown.shows_largest ? found->most : found->median, shown.digits) +
                        mark(verdicts, who, each, std::nullopt)
                  : std::string{nothing});
        if (each != what.metrics.front()) continue;
        cells.push_back(found ? "(" + number(found->least, shown.digits) + " – " +
                                    number(found->most, shown.digits) + ")"
                              : "");
    }
    for (const contender each : what.references) {
        const auto found = who.compared_with(result.find(each), what.metrics.front());
        cells.push_back(each == who.kind || !found
                            ? ""
                            : times(found->median) +
                                  mark(verdicts, who, what.metrics.front(), each));
    }
    return cells;
}

// "pawl::mutex: 3.11 × redis-py, 9.80 × redsync"
void print_peers(std::ostream& out, const comparison& result)
{
    const contestant& who = result.contestants.front();
    const metric what = result.what->metrics.front();
    std::string text;
    for (const contestant& each : result.contestants) {
        if (!each.is_peer()) continue;
        const auto found = who.compared_with(each, what);
        if (!found) continue;
        text += (text.empty() ? "" : ", ") + times(found->median) + " × " + each.title;
    }
    if (!text.empty()) out << who.title << ": " << text << '\n';
}

}  // namespace

void print_targets(std::ostream& out, const std::vector<verdict>& verdicts)
{
    for (const verdict& each : verdicts) {
        if (each.reached) {
            out << (each.met() ? "✓ met     " : "✗ missed  ") << each.text << ": "
                << times(*each.reached) << '\n';
        } else {
            out << "– open    " << each.text << ": not measured\n";
        }
    }
}

void print_table(std::ostream& out, const comparison& result)
{
    out << '\n' << result.what->title << ", over " << result.over << '\n';
    const std::vector<verdict> verdicts = judge(result);
    std::vector<common::row> rows{heading(*result.what)};
    for (const contestant& each : result.contestants) {
        if (each.failure.empty()) rows.push_back(figures(result, verdicts, each));
    }
    out << common::lay_out(rows);
    for (const contestant& each : result.contestants) {
        if (each.failure.empty()) continue;
        out << each.title << (each.is_peer() ? " not measured: " : " failed: ") << each.failure
            << '\n';
    }
    print_peers(out, result);
    print_targets(out, verdicts);
    out.flush();
}

}  // namespace pawl::bench
