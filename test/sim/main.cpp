// The simulator's command: campaigns, mutants, and replays of one run.
#include "sim/campaign.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::sim {
namespace {

std::vector<family> every_family()
{
    std::vector<family> all;
    for (const auto& each : all_families()) all.push_back(each.which);
    return all;
}

struct settings {
    campaign_options campaign;
    std::vector<family> kinds = every_family();
    double hours = 0;
    bool mutants = true;
    std::uint64_t most_mutant_seeds = 5'000;
    std::uint64_t replayed = 0;
    std::vector<std::string> mutants_named;  // none: all
    std::vector<std::string> without;
    unsigned processes = 0;
    unsigned threads = 0;
    std::size_t locks = 0;
};

std::string replay_command(const plan& what, const plan& whole, const std::string& mutant)
{
    std::string text = "./dev sim --replay " + std::to_string(what.seed);
    if (what.kinds != family::exclusive) text += " --family " + std::string{name_of(what.kinds)};
    for (std::size_t i = 0; i < fault_count; ++i) {
        if (whole.faults.test(i) && !what.faults.test(i)) {
            text += " --without " + std::string{fault_names[i]};
        }
    }
    if (what.processes != whole.processes) {
        text += " --processes " + std::to_string(what.processes);
    }
    if (what.threads != whole.threads) text += " --threads " + std::to_string(what.threads);
    if (what.locks.size() != whole.locks.size()) {
        text += " --locks " + std::to_string(what.locks.size());
    }
    if (!mutant.empty()) text += " --mutant " + mutant;
    return text;
}

// Shows the smallest run that finds the problem. Returns whether it was found at all.
bool show_failure(const plan& whole, const std::string& mutant)
{
    auto first = run{whole, false}.execute();
    if (!first.found) return false;
    const auto small = shrink(whole, first.found->check);
    const auto again = run{small, true}.execute();
    std::cout << "\nseed " << whole.seed << " violates \"" << again.found->check
              << "\": " << again.found->text << '\n'
              << describe(small) << again.trace << "again: " << replay_command(small, whole, mutant)
              << '\n';
    return true;
}

void show(const campaign_result& result)
{
    const auto& sum = result.sum;
    const double seconds = result.took.count();
    const double days = sum.simulated_seconds / 86'400;
    std::cout << std::fixed << std::setprecision(1);
    std::cout << "seeds           " << sum.runs << " (" << static_cast<double>(sum.runs) / seconds
              << " per second)\n"
              << "steps           " << sum.steps << '\n'
              << "simulated time  " << days << " days\n"
              << "grants          " << sum.grants << " ("
              << static_cast<double>(sum.grants) / seconds << " per second)\n"
              << "holds lost      " << sum.losses << '\n'
              << "stale writes    " << sum.stale_writes << ", all refused because of their fence\n"
              << "took            " << seconds << " s\n"
              << "faults\n";
    for (std::size_t i = 0; i < fault_count; ++i) {
        std::cout << "  " << std::left << std::setw(16) << fault_names[i] << std::right
                  << std::setw(12) << sum.fired[i] << '\n';
    }
}

bool campaign(const settings& wanted, family kinds)
{
    auto options = wanted.campaign;
    options.kinds = kinds;
    std::cout << name_of(kinds) << '\n';
    const auto result = run_campaign(options);
    show(result);
    for (const auto& each : result.found) {
        if (each.check == "crash") {
            std::cout << "\nthe run of seed " << each.seed << " crashed: ./dev sim --replay "
                      << each.seed << " --family " << name_of(kinds) << '\n';
        } else if (!show_failure(draw_plan(each.seed, kinds), {})) {
            std::cout << "\nseed " << each.seed << " failed (" << each.check
                      << "), but not when repeated: the simulator is not deterministic\n";
        }
    }
    return result.found.empty();
}

// Each mutant is tried with one seed after another until it is detected: a problem is found that is
// not found without the defect. A crash does not count.
std::optional<finding> catch_mutant(const mutant& which, const settings& wanted)
{
    check_changes(which);
    auto options = wanted.campaign;
    options.seeds = wanted.most_mutant_seeds;
    options.time.reset();
    options.progress = false;
    options.kinds = which.kinds;
    options.as = &which;
    const auto result = run_campaign(options);
    if (result.found.empty() || result.found.front().check == "crash") return std::nullopt;
    become(nullptr);
    const auto seed = result.found.front().seed;
    if (run{draw_plan(seed, which.kinds), false}.execute().found) return std::nullopt;
    return result.found.front();
}

bool hunt(const settings& wanted)
{
    std::size_t tried = 0;
    std::size_t caught = 0;
    const auto& named = wanted.mutants_named;
    std::cout << "mutants\n";
    for (const auto& each : all_mutants()) {
        if (!named.empty() && std::ranges::find(named, each.name) == named.end()) continue;
        ++tried;
        std::cout << "  " << std::left << std::setw(23) << each.name;
        const auto found = catch_mutant(each, wanted);
        if (!found) {
            std::cout << "NOT CAUGHT: " << each.defect << std::endl;
            continue;
        }
        ++caught;
        std::cout << "seed " << std::setw(6) << found->seed << std::setw(33) << found->check
                  << each.defect << std::endl;
        if (named.size() == 1) {
            become(&each);
            show_failure(draw_plan(found->seed, each.kinds), named.front());
        }
    }
    std::cout << "mutants caught  " << caught << " of " << tried << '\n';
    return caught == tried;
}

bool replay(const settings& wanted)
{
    const auto* const as =
        wanted.mutants_named.empty() ? nullptr : mutant_named(wanted.mutants_named.front());
    const auto kinds = as != nullptr ? as->kinds : wanted.kinds.front();
    const auto whole = draw_plan(wanted.replayed, kinds);
    auto what = whole;
    for (const auto& name : wanted.without) {
        what.faults.reset(static_cast<std::size_t>(*fault_named(name)));
    }
    if (wanted.processes != 0) what.processes = wanted.processes;
    if (wanted.threads != 0) what.threads = wanted.threads;
    if (wanted.locks != 0 && wanted.locks < what.locks.size()) what.locks.resize(wanted.locks);
    become(as);
    const auto result = run{what, true}.execute();
    std::cout << describe(what) << result.trace << result.steps << " steps, " << result.grants
              << " grants, " << result.losses << " lost, "
              << std::chrono::duration<double>(result.simulated).count() << " s simulated: ";
    if (result.found) {
        std::cout << "violates \"" << result.found->check << "\": " << result.found->text << '\n';
    } else {
        std::cout << "nothing found\n";
    }
    return !result.found;
}

void define(CLI::App& app, settings& wanted)
{
    auto& campaign = wanted.campaign;
    campaign.jobs = std::max(1U, std::thread::hardware_concurrency());
    app.add_option("--seeds", campaign.seeds, "number of runs")->capture_default_str();
    app.add_option("--hours", wanted.hours, "how long to run, instead of a number of runs")
        ->check(CLI::PositiveNumber);
    std::map<std::string, family> names;
    std::string meanings;
    for (const auto& each : all_families()) {
        names[std::string{each.name}] = each.which;
        meanings += (meanings.empty() ? "" : "; ") + std::string{each.name} + ": " +
                    std::string{each.meaning};
    }
    app.add_option("--family", wanted.kinds, meanings)
        ->transform(CLI::CheckedTransformer(std::move(names)));
    app.add_option("--from", campaign.first_seed, "the first seed")->capture_default_str();
    app.add_option("--jobs", campaign.jobs, "processes at a time")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_flag("!--no-mutants", wanted.mutants, "skip the mutants");
    app.add_option("--mutant-seeds", wanted.most_mutant_seeds, "how many runs a mutant may survive")
        ->capture_default_str();
    app.add_option("--replay", wanted.replayed, "replay one run, and show its last events");
    app.add_option("--mutant", wanted.mutants_named,
                   "only this mutant, and how it was detected; with --replay: with this mutant")
        ->check([](const std::string& name) {
            return mutant_named(name) != nullptr ? std::string{} : "no such mutant: " + name;
        });
    app.add_option("--without", wanted.without, "with --replay: without this kind of fault")
        ->check([](const std::string& name) {
            return fault_named(name) ? std::string{} : "no such fault: " + name;
        });
    app.add_option("--processes", wanted.processes, "with --replay: so many")
        ->check(CLI::Range(1, 8));
    app.add_option("--threads", wanted.threads, "with --replay: so many")->check(CLI::Range(1, 8));
    app.add_option("--locks", wanted.locks, "with --replay: so many")->check(CLI::Range(1, 8));
}

int main_with(settings& wanted)
{
    if (wanted.replayed != 0) return replay(wanted) ? 0 : 1;
    if (wanted.hours > 0) {
        wanted.campaign.time =
            std::chrono::seconds{static_cast<std::int64_t>(std::ceil(wanted.hours * 3600))};
        wanted.campaign.progress = true;
    }
    bool good = true;
    for (const auto each : wanted.kinds) {
        if (wanted.mutants_named.empty()) good = campaign(wanted, each) && good;
    }
    if (wanted.mutants) good = hunt(wanted) && good;
    return good ? 0 : 1;
}

}  // namespace
}  // namespace pawl::sim

int main(int argc, char** argv)
{
    CLI::App app{"Runs pawl's protocol in a simulated world with faults, from a seed."};
    pawl::sim::settings wanted;
    pawl::sim::define(app, wanted);
    CLI11_PARSE(app, argc, argv);
    return pawl::sim::main_with(wanted);
}
