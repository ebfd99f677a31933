// A batch in two phases: nobody begins the second one before all have finished the first.
//
// Four workers, each a separate process, settle the accounts of a day. First each of them adds up
// its own share of the payments. Then each checks its share of the accounts, and needs the sums of
// all workers for that. A barrier between the phases makes the fast workers wait for the slow ones.
//
// The main process does none of the work. It waits at a latch, which each worker counts down when
// it is done.
//
//   8_two_phase_batch [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/types.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr unsigned workers = 4;
constexpr int payments = 100;  // of each worker

// A worker that crashes never arrives. So no wait is without a limit.
constexpr auto longest_phase = 30s;

struct batch {
    std::string url;
    std::string name;  // of the barrier and the latch: a new one for each batch
    std::string sums;  // the directory and prefix of one file for each worker
};

int sum_of_all(const batch& today)
{
    int total = 0;
    for (unsigned number = 1; number <= workers; ++number) {
        int sum = 0;
        std::ifstream{today.sums + std::to_string(number)} >> sum;
        total += sum;
    }
    return total;
}

int work(unsigned number, const batch& today)
{
    const std::string me = "worker " + std::to_string(number);
    pawl::client client{today.url};
    pawl::barrier between{client, today.name, workers};
    pawl::latch done{client, today.name + ":done", workers};

    // The first phase. Some workers need longer than others.
    std::this_thread::sleep_for(number * 50ms);
    std::ofstream{today.sums + std::to_string(number)} << payments * 10 << '\n';
    say(me + ": my payments are added up");

    const pawl::barrier::arrival mine = between.arrive();
    if (!mine.wait_for(longest_phase)) {
        say(me + ": not all workers have arrived, I stop");
        return 1;
    }

    // The second phase: the sums of all workers are there.
    const int total = sum_of_all(today);
    say(me + ": the total is " + std::to_string(total));
    done.count_down();
    return total == static_cast<int>(workers) * payments * 10 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
try {
    const example::scratch_dir files;
    const batch today{.url = example::url_from(argc, argv),
                      .name = "example:batch:" + std::to_string(::getpid()),
                      .sums = files.file("sum-")};

    // Before this process makes its own client.
    std::vector<pid_t> all;
    for (unsigned number = 1; number <= workers; ++number) {
        all.push_back(example::start_service([&today, number] { return work(number, today); }));
    }

    pawl::client client{today.url};
    const pawl::latch done{client, today.name + ":done", workers};
    const bool in_time = done.wait_for(longest_phase);
    bool all_well = in_time;
    for (const pid_t worker : all) all_well = example::succeeded(worker) && all_well;
    if (!all_well) {
        say("WRONG: a worker began the second phase too early, or did not finish");
        return EXIT_FAILURE;
    }
    say("=> 4 workers, two phases: every worker saw the sums of all");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
