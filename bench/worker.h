// Runs in a separate process: takes part in one round, and writes its results to the board.
#pragma once

#include "contender.h"
#include "workload.h"

#include <string>
#include <vector>

namespace pawl::bench {

struct worker_task {
    contender kind{};
    const workload* what = nullptr;
    unsigned index = 0;  // of this process, from 0
    int board_fd = -1;
    std::string url;
};

// As words of a command line. The program passes the words after `worker` to work().
[[nodiscard]] std::vector<std::string> command_line(const worker_task& task);

// Throws if anything goes wrong. Also throws, after a bounded time, if the parent never says `go`.
void work(const worker_task& task);

}  // namespace pawl::bench
