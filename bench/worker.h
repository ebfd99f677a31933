// What runs in a process of its own: takes part in one round, and says what it saw on the board.
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

// As words of a command line, for a program that gives what follows `worker` to work().
[[nodiscard]] std::vector<std::string> command_line(const worker_task& task);

// Throws when anything goes wrong, and in bounded time when the parent never says `go`.
void work(const worker_task& task);

}  // namespace pawl::bench
