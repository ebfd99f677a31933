#include "faults/report.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iomanip>
#include <stdexcept>

namespace pawl::faults {

namespace {

constexpr int row_width = 21;
constexpr int name_width = 27;
constexpr int number_width = 9;

[[nodiscard]] std::string promise_of(const cell_result& cell)
{
    if (cell.one_holder_promised()) return "one holder at a time, fences grow, all go on";
    const std::string why = ": " + std::string{cell.what->why};
    if (cell.fences_promised()) return "fences grow, all go on; not one holder" + why;
    return "all go on; neither one holder nor greater fences" + why;
}

[[nodiscard]] std::string_view level_of(const cell_result& cell)
{
    if (cell.one_holder_promised()) return "one holder";
    return cell.fences_promised() ? "fence only" : "all go on";
}

[[nodiscard]] std::string verdict_of(const cell_result& cell)
{
    return cell.promised_violations() == 0 ? "ok" : "VIOLATED";
}

}  // namespace

void print_heading(std::ostream& out)
{
    out << std::left << std::setw(row_width) << "row" << std::setw(name_width) << "fault"
        << std::right;
    for (const char* name : {"faults", "grants", "per s", "lost", "failed", "stall ms", "back ms",
                             "promised", "other"}) {
        out << std::setw(number_width) << name;
    }
    out << "  verdict\n" << std::flush;
}

void print(std::ostream& out, const cell_result& cell)
{
    out << std::left << std::setw(row_width) << to_string(cell.where) << std::setw(name_width)
        << cell.what->name << std::right;
    if (!cell.not_run.empty()) {
        out << "  not run: " << cell.not_run << '\n' << std::flush;
        return;
    }
    const auto number = [&](auto value) { out << std::setw(number_width) << value; };
    number(cell.strikes);
    number(cell.grants);
    number(cell.grants_per_second());
    number(cell.lost);
    number(cell.failed_calls);
    number(cell.longest_stall.count());
    number(cell.slowest_return.count());
    number(cell.promised_violations());
    number(cell.other_violations());
    out << "  " << verdict_of(cell);
    if (!cell.history.empty()) out << "; " << cell.history;
    if (!cell.left_out.empty()) out << "; without " << cell.left_out;
    if (cell.failovers > 0) out << "; " << cell.failovers << " failovers that no fault caused";
    out << '\n';
    if (cell.promised_violations() > 0) {
        out << "    too many holders " << cell.too_many << ", refused while valid "
            << cell.refused_valid << ", readers with old fences " << cell.old_readers
            << ", such between faults " << cell.in_calm << ", bad fences " << cell.bad_fences
            << ", lost updates " << cell.lost_updates << ", wrong gates " << cell.wrong_gates
            << ", late " << cell.late << ", died " << cell.died << '\n';
    }
    out << cell.detail;
    out << std::flush;
}

void write_json(const std::string& path, const std::vector<cell_result>& cells)
{
    nlohmann::json all = nlohmann::json::array();
    for (const cell_result& cell : cells) {
        all.push_back({{"row", to_string(cell.where)},
                       {"fault", cell.what->name},
                       {"promised", promise_of(cell)},
                       {"not_run", cell.not_run},
                       {"faults", cell.strikes},
                       {"grants", cell.grants},
                       {"grants_per_second", cell.grants_per_second()},
                       {"lost", cell.lost},
                       {"refused_writes", cell.refused_writes},
                       {"failed_calls", cell.failed_calls},
                       {"longest_stall_ms", cell.longest_stall.count()},
                       {"slowest_return_ms", cell.slowest_return.count()},
                       {"unexpected_failovers", cell.failovers},
                       {"too_many_holders", cell.too_many},
                       {"refused_while_valid", cell.refused_valid},
                       {"old_readers", cell.old_readers},
                       {"between_faults", cell.in_calm},
                       {"bad_fences", cell.bad_fences},
                       {"lost_updates", cell.lost_updates},
                       {"wrong_gates", cell.wrong_gates},
                       {"late", cell.late},
                       {"unreported_clock_steps", cell.unreported},
                       {"died", cell.died},
                       {"history", cell.history},
                       {"left_out", cell.left_out},
                       {"violations_promised", cell.promised_violations()},
                       {"violations_not_promised", cell.other_violations()},
                       {"detail", cell.detail}});
    }
    std::ofstream out{path};
    out << all.dump(2) << '\n';
    if (!out.flush()) throw std::runtime_error{"cannot write " + path};
}

void write_markdown(std::ostream& out, const std::vector<cell_result>& cells)
{
    std::optional<row> heading;
    for (const cell_result& cell : cells) {
        if (heading != cell.where) {
            heading = cell.where;
            out << "\n### " << to_string(cell.where)
                << "\n\n| fault | promised | faults | grants | per s | lost | failed calls | "
                   "longest stall | all back after | violations: promised | not promised |\n"
                   "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        }
        out << "| " << cell.what->name << " | ";
        if (!cell.not_run.empty()) {
            out << "not run: " << cell.not_run << " | | | | | | | | | |\n";
            continue;
        }
        out << level_of(cell) << " | " << cell.strikes << " | " << cell.grants << " | "
            << cell.grants_per_second() << " | " << cell.lost << " | " << cell.failed_calls << " | "
            << cell.longest_stall.count() << " ms | " << cell.slowest_return.count() << " ms | "
            << cell.promised_violations() << " | " << cell.other_violations() << " |\n";
    }
}

}  // namespace pawl::faults
