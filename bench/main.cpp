// pawl_bench: the load tool. It starts servers, and itself again for each process of a workload.
#include "command_line.h"
#include "comparison.h"
#include "farm.h"
#include "growth.h"
#include "growth_report.h"
#include "interruption.h"
#include "peer.h"
#include "placement.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "verdict.h"
#include "worker.h"

#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace pawl::bench {
namespace {

// The words come from command_line().
worker_task task_of(std::span<char*> words)
{
    if (words.size() != 5) throw std::runtime_error{"only pawl_bench starts a worker"};
    const auto kind = contender_of(words[0]);
    const workload* const what = find_workload(words[1]);
    if (!kind || what == nullptr) throw std::runtime_error{"unknown contender or workload"};
    return {.kind = *kind,
            .what = what,
            .index = static_cast<unsigned>(std::stoul(words[2])),
            .board_fd = std::stoi(words[3]),
            .url = words[4]};
}

// On a terminal, one line that is overwritten.
void show_progress(const std::string& text)
{
    if (::isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K" << text << std::flush;
}

std::string headline(const settings& wanted, const std::string& redis)
{
    std::string text = "Redis " + redis + ", " + std::to_string(wanted.how_much.rounds) +
                       " rounds of " +
                       number(std::chrono::duration<double>(wanted.how_much.length).count(), 1) +
                       " s for each contender, medians; ";
    return text + (wanted.pinned ? "all on one of " : "not pinned, on ") +
           std::to_string(std::thread::hardware_concurrency()) + " processors";
}

// The peers that are available. For the others, prints why they are not.
std::vector<peer> get_peers()
{
    std::vector<peer> ready;
    for (const peer& each : all_peers()) {
        show_progress("installing " + each.name);
        try {
            install(each);
            ready.push_back(each);
        } catch (const interrupted&) {
            throw;
        } catch (const std::exception& problem) {
            show_progress("");
            std::cout << each.name << " not measured: " << problem.what() << std::endl;
        }
    }
    return ready;
}

void print_balance(const run_results& all)
{
    std::size_t met = 0;
    std::size_t missed = 0;
    std::size_t open = 0;
    const auto count = [&](const std::vector<verdict>& verdicts) {
        for (const verdict& each : verdicts) ++(each.met() ? met : each.reached ? missed : open);
    };
    for (const comparison& each : all.comparisons) count(judge(each));
    for (const growth& each : all.growths) count(judge(each));
    std::cout << "\nTargets: " << met << " met, " << missed << " missed, " << open
              << " not measured\n";
}

void measure_workloads(const settings& wanted, const farm& servers, const std::vector<peer>& peers,
                       run_results& all)
{
    for (const workload* what : wanted.workloads) {
        for (const std::string& over : wanted.ways_for(*what)) {
            const arena where = servers.arena_for(*what, over);
            all.comparisons.push_back(compare(*what, where, peers, wanted.how_much, show_progress));
            show_progress("");
            print_table(std::cout, all.comparisons.back());
        }
    }
    if (!wanted.growth) return;
    all.growths = measure_growth(servers.first().unix_url(), wanted.quick, show_progress);
    show_progress("");
    for (const growth& each : all.growths) print_table(std::cout, each);
}

int measure(const settings& wanted)
{
    notice_interruptions();
    const std::vector<peer> peers = wanted.peers ? get_peers() : std::vector<peer>{};
    if (wanted.pinned) pin_to_one_processor();  // before the servers, which inherit it
    const farm servers{wanted.workloads};
    run_results all{.redis = server_counts{servers.first().unix_url()}.version()};
    std::cout << headline(wanted, all.redis) << std::endl;

    measure_workloads(wanted, servers, peers, all);
    print_balance(all);
    if (!wanted.json_file.empty()) write_report(wanted.json_file, wanted, all);
    return all.failed() ? 1 : 0;
}

int run(std::span<char*> arguments)
{
    if (arguments.size() > 1 && std::string_view{arguments[1]} == "worker") {
        work(task_of(arguments.subspan(2)));
        return 0;
    }
    if (arguments.size() > 1 && std::string_view{arguments[1]} == "growth") {
        grow(growth_task_of({arguments.begin() + 2, arguments.end()}));
        return 0;
    }
    const auto parsed = parse_command_line(static_cast<int>(arguments.size()), arguments.data());
    if (const int* status = std::get_if<int>(&parsed)) return *status;
    return measure(std::get<settings>(parsed));
}

}  // namespace
}  // namespace pawl::bench

int main(int argc, char** argv)
{
    try {
        return pawl::bench::run({argv, static_cast<std::size_t>(argc)});
    } catch (const std::exception& problem) {
        std::cerr << "pawl_bench: " << problem.what() << '\n';
        return 1;
    }
}
