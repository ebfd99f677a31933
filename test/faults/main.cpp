// The fault campaign: real servers, real processes, real faults. `./dev faults` runs it.
//
// Exit status: 0 nothing that is promised was broken; 1 something was; 2 bad arguments.
#include "faults/cell.h"
#include "faults/defect.h"
#include "faults/report.h"
#include "faults/worker.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace pawl::faults;
using std::chrono::milliseconds;

struct settings {
    std::vector<std::string> rows;
    std::vector<std::string> faults;
    std::uint64_t seeds = 1;
    std::uint64_t first_seed = 1;
    double minutes = 0;
    double cell_seconds = 6;
    bool brief = false;
    bool broken = false;
    bool markdown = false;
    bool list = false;
    bool no_porcupine = false;
    std::string json;
    std::string porcupine;
    std::string clock_server;
    std::string faketime;
};

// What CI runs: one of each sort that a row has, about 4 s for each cell with its servers.
constexpr std::array<std::string_view, 5> short_faults{"kill-9", "sigstop", "cut-messages",
                                                       "failover-forced", "client-killed"};
constexpr double short_cell_seconds = 1;

struct cell_name {
    row where;
    const fault* what;
};

[[nodiscard]] bool wanted(const std::vector<std::string>& names, std::string_view name)
{
    return names.empty() || std::ranges::find(names, name) != names.end();
}

[[nodiscard]] std::vector<cell_name> chosen(const settings& how)
{
    std::vector<cell_name> cells;
    for (const row where : all_rows) {
        if (!wanted(how.rows, to_string(where))) continue;
        for (const fault& what : all_faults()) {
            if ((what.applies & only(where)) == 0 || !wanted(how.faults, what.name)) continue;
            const bool in_short = std::ranges::find(short_faults, what.name) != short_faults.end();
            if (!how.brief || in_short) cells.push_back({where, &what});
        }
    }
    return cells;
}

[[nodiscard]] std::string row_names()
{
    std::string names;
    for (const row where : all_rows) {
        names += (names.empty() ? "" : ", ") + std::string{to_string(where)};
    }
    return names;
}

void check_names(const settings& how)
{
    for (const std::string& name : how.rows) {
        const bool known =
            std::ranges::any_of(all_rows, [&](row one_row) { return to_string(one_row) == name; });
        if (known) continue;
        throw CLI::ValidationError{"ROW", "'" + name + "' is none of " + row_names()};
    }
    for (const std::string& name : how.faults) {
        if (find_fault(name) == nullptr) {
            throw CLI::ValidationError{"--fault", "there is no fault '" + name + "'; see --list"};
        }
    }
}

void list_faults()
{
    for (const fault& what : all_faults()) {
        std::cout << what.name << ':';
        for (const row where : all_rows) {
            if ((what.applies & only(where)) == 0) continue;
            std::cout << ' ' << to_string(where)
                      << ((what.two_holders & only(where)) == 0 ? "" : "*")
                      << ((what.old_fences & only(where)) == 0 ? "" : "*");
        }
        std::cout << (what.why.empty() ? "" : "   * not one holder: ") << what.why
                  << (what.old_fences == none ? "" : "   ** nor greater fences") << '\n';
    }
}

// In a namespace of its own, if the system allows it. Without one, some faults are left out.
[[nodiscard]] std::optional<network> own_network()
{
    try {
        return network{};
    } catch (const std::exception& problem) {
        std::cerr << "pawl_faults: without faults of the network: " << problem.what() << '\n';
        return {};
    }
}

[[nodiscard]] std::vector<cell_result> run_all(const settings& how, const campaign_options& options)
{
    const std::vector<cell_name> cells = chosen(how);
    std::vector<cell_result> results;
    const nanoseconds_t start = clock_now();
    const auto over = [&] {
        return how.minutes > 0 &&
               clock_now() - start > static_cast<nanoseconds_t>(how.minutes * 60e9);
    };
    print_heading(std::cout);
    for (std::uint64_t turn = 0; how.minutes > 0 ? !over() : turn < how.seeds; ++turn) {
        for (std::size_t i = 0; i < cells.size() && !(turn > 0 && over()); ++i) {
            const cell_result cell =
                run_cell(cells[i].where, *cells[i].what, options, how.first_seed + turn);
            print(std::cout, cell);
            if (turn == 0) {
                results.push_back(cell);
            } else {
                add(results[i], cell);
            }
        }
    }
    return results;
}

// A shorter lease makes each cell shorter: the long holds, and the bound until which a worker is not late.
constexpr milliseconds broken_lease{300};

// Each cell must find out what is wrong with the workers.
[[nodiscard]] int run_broken(const settings& how, campaign_options options)
{
    options.lease = broken_lease;
    bool all_found = true;
    for (const known_defect& each : all_defects()) {
        options.wrong = each.which;
        std::cout << "\nBroken workers: " << each.name << ".\n";
        const std::vector<cell_result> results = run_all(how, options);
        const bool found = !results.empty() && std::ranges::all_of(results, each.found);
        std::cout << (found ? "Found out" : "NOT found out") << " by: " << each.checks << ".\n";
        all_found = all_found && found;
    }
    return all_found ? 0 : 1;
}

int run_campaign(const settings& how)
{
    if (how.list) {
        list_faults();
        return 0;
    }
    std::optional<network> net = own_network();
    const double seconds = how.brief ? short_cell_seconds : how.cell_seconds;
    const campaign_options options{
        .cell_time = milliseconds{static_cast<std::int64_t>(seconds * 1'000)},
        .porcupine = how.no_porcupine ? std::string{} : how.porcupine,
        .stepping = {.server = how.clock_server, .library = how.faketime},
        .net = net ? &*net : nullptr};
    if (how.broken) return run_broken(how, options);
    const std::vector<cell_result> results = run_all(how, options);
    if (!how.json.empty()) write_json(how.json, results);
    if (how.markdown) write_markdown(std::cout, results);
    const bool fine = std::ranges::all_of(
        results, [](const cell_result& cell) { return cell.promised_violations() == 0; });
    std::cout << (fine ? "Nothing that is promised was broken.\n"
                       : "Something that is promised was BROKEN.\n");
    return fine ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::string_view{argv[1]} == "worker") {
        return work(order_from({argv + 2, argv + argc}));
    }
    settings how;
    CLI::App app{"Locks on real servers, with real faults: see docs/faults.md"};
    app.add_option("row", how.rows, row_names() + "; default all");
    app.add_option("--fault", how.faults, "only these faults; --list names them");
    app.add_option("--seeds", how.seeds, "run every cell this often")->check(CLI::PositiveNumber);
    app.add_option("--first-seed", how.first_seed, "the seed of the first turn");
    app.add_option("--minutes", how.minutes, "go on for this long instead");
    app.add_option("--cell-seconds", how.cell_seconds, "time of a cell")
        ->check(CLI::PositiveNumber);
    app.add_flag("--short", how.brief, "four faults, 1 s each: for CI");
    app.add_flag("--broken", how.broken,
                 "workers do something wrong, in five ways; succeeds if each is noticed");
    app.add_flag("--markdown", how.markdown, "print the tables of docs/faults.md too")
        ->excludes("--broken");
    app.add_flag("--list", how.list, "name the faults and where they apply");
    app.add_option("--json", how.json, "write the results to this file")->excludes("--broken");
    app.add_option("--porcupine", how.porcupine, "the program that checks histories");
    app.add_flag("--no-porcupine", how.no_porcupine, "do not check histories");
    app.add_option("--clock-server", how.clock_server, "a server with libc's malloc");
    app.add_option("--faketime", how.faketime, "libfaketime.so.1");
    try {
        app.parse(argc, argv);
        check_names(how);
    } catch (const CLI::ParseError& problem) {
        return app.exit(problem) == 0 ? 0 : 2;
    }
    try {
        return run_campaign(how);
    } catch (const std::exception& problem) {
        std::cerr << "pawl_faults: " << problem.what() << '\n';
        return 1;
    }
}
