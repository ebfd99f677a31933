// pawl_bench: the load tool. It starts a server, and itself again for each process of a workload.
#include "command_line.h"
#include "comparison.h"
#include "interruption.h"
#include "report.h"
#include "table.h"
#include "worker.h"

#include "support/redis_server.h"

#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

namespace pawl::bench {
namespace {

// The words are command_line()'s.
worker_task task_of(std::span<char*> words)
{
    if (words.size() != 5) throw std::runtime_error{"a worker is started by pawl_bench itself"};
    const auto kind = contender_of(words[0]);
    const workload* const what = find_workload(words[1]);
    if (!kind || what == nullptr) throw std::runtime_error{"there is no such work"};
    return {.kind = *kind,
            .what = what,
            .index = static_cast<unsigned>(std::stoul(words[2])),
            .board_fd = std::stoi(words[3]),
            .url = words[4]};
}

// On a terminal, one line that is written over.
void show_progress(const std::string& text)
{
    if (::isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K" << text << std::flush;
}

int measure(const settings& wanted)
{
    notice_interruptions();
    const test::redis_server server;
    const std::string redis = server_counts{server.unix_url()}.version();
    std::cout << "Redis " << redis << ", " << wanted.how_much.rounds << " rounds of "
              << std::chrono::duration<double>(wanted.how_much.length).count()
              << " s for each contender; medians\n"
              << std::flush;

    std::vector<comparison> results;
    bool failed = false;
    for (const workload* what : wanted.workloads) {
        for (const std::string& over : wanted.ways_for(*what)) {
            const std::string url = over == "tcp" ? server.url() : server.unix_url();
            results.push_back(compare(*what, over, url, wanted.how_much, show_progress));
            show_progress("");
            print_table(std::cout, results.back());
            failed = failed || results.back().failed();
        }
    }
    if (!wanted.json_file.empty()) {
        write_report(wanted.json_file, wanted.how_much, redis, results);
    }
    return failed ? 1 : 0;
}

int run(std::span<char*> arguments)
{
    if (arguments.size() > 1 && std::string_view{arguments[1]} == "worker") {
        work(task_of(arguments.subspan(2)));
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
