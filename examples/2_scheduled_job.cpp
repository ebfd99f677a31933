// A scheduled job: several instances wake up for it at the same time, and one of them runs it.
//
// Five instances of a service, each a separate process, have the same timer. The first one runs the
// job. The others do not wait, because there is nothing left to do afterwards.
//
// A lock alone would not be enough: an instance whose timer is late would find it free again. So
// this is a pawl::once_per, which also remembers that the job was done in this period. If the job
// fails, or its instance dies, the next instance that asks runs it again.
//
//   2_scheduled_job [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr int instances = 5;
constexpr int chapters = 10;

struct night {
    std::chrono::steady_clock::time_point midnight;
    std::string job_name;
    std::string runs;    // a line for each run, for the check at the end
    std::string draft;   // the report while it is written
    std::string report;  // the job's result
};

// False if the lock was lost meanwhile. Then the report is not published.
bool write_report(const night& tonight, pawl::hold& held)
{
    std::ofstream draft{tonight.draft};  // begun again, whatever an interrupted run has left
    for (int chapter = 1; chapter <= chapters; ++chapter) {
        // Checked in each round: an instance that has lost the lock must stop, because another may
        // have begun.
        if (held.lost().stop_requested()) return false;
        draft << "chapter " << chapter << '\n';
        std::this_thread::sleep_for(30ms);
    }
    draft.close();

    // Publishing must not be interrupted in the middle. ensure() returns at once if the lock is
    // valid for that long. Otherwise it extends the lease, and throws if that is not possible.
    held.ensure(5s);
    std::filesystem::rename(tonight.draft, tonight.report);
    return true;
}

int instance(int number, const std::string& url, const night& tonight)
{
    const std::string name = "instance " + std::to_string(number);
    pawl::client client{url};
    // The job may take all night: while it runs, the lease is renewed. If its instance dies,
    // another can run it when the lease has ended.
    pawl::once_per job{client, tonight.job_name, 12h, {.retry_failed = true}, {.lease = 10s}};

    std::this_thread::sleep_until(tonight.midnight);

    std::optional<pawl::once_per::turn> turn = job.try_begin();
    if (!turn) {
        say(name + ": another instance runs the job, or has done it");
        return 0;
    }
    std::ofstream{tonight.runs, std::ios::app} << name << '\n';
    say(name + ": running the job, with fence " + std::to_string(turn->fence()));
    if (!write_report(tonight, turn->held())) {
        say(name + ": lock lost (" + std::string{to_string(turn->held().why())} + "), I stop");
        return 1;
    }
    turn->done();
    say(name + ": report published");
    return 0;
}

int count_lines(const std::string& path)
{
    std::ifstream in{path};
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string url = example::url_from(argc, argv);
    const example::scratch_dir files;
    const night tonight{
        .midnight = std::chrono::steady_clock::now() + 500ms,
        // Named after the job. The process id separates two runs of this example.
        .job_name = "example:nightly-report:" + std::to_string(::getpid()),
        .runs = files.file("runs"),
        .draft = files.file("draft"),
        .report = files.file("report"),
    };

    const bool all_well = example::run_services(
        instances, [&](int number) { return instance(number, url, tonight); });

    if (!all_well) return EXIT_FAILURE;  // the failed service has printed why

    const int runs = count_lines(tonight.runs);
    if (runs != 1 || count_lines(tonight.report) != chapters) {
        say("WRONG: the job ran " + std::to_string(runs) + " times, or not to its end");
        return EXIT_FAILURE;
    }
    say("=> 5 instances woke up, the job ran once");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
