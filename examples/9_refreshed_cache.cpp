// A cache that many read and that is refreshed once: the prices of the day, in two files that belong
// together.
//
// Three services, each a separate process with four workers, answer requests from these files. They read at
// the same time, under a reader's hold, and never see one new and one old file. Now and then the prices
// change. The first worker that notices it refreshes the files, and all others use its result:
//
//   - if the worker is the only reader, it becomes the writer at once (try_upgrade);
//   - otherwise it leaves, waits as a writer, and looks again: another worker may have refreshed the files
//     meanwhile;
//   - when it has written, it becomes a reader again (downgrade). No other writer can come between, so it
//     answers its own request from what it has just written.
//
//   9_refreshed_cache [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr int services = 3;
constexpr int workers = 4;
constexpr int requests = 60;     // of each worker
constexpr int price_lists = 10;  // so often do the prices change

// What happened, for the check at the end. All processes see the same one.
struct record {
    std::atomic<int> current{1};  // the number of the price list that counts now
    std::atomic<int> refreshes{0};
    std::atomic<int> answers{0};
    std::atomic<int> mixed{0};  // answers from two files that do not belong together
    std::atomic<int> together{0};
    std::atomic<int> reading{0};
};

record& make_record()
{
    void* const where =
        ::mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (where == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "mmap"};
    return *new (where) record;
}

struct cache {
    std::string prices;  // each file has the number of its price list
    std::string discounts;
};

int read(const std::string& file)
{
    int number = 0;
    std::ifstream{file} >> number;
    return number;
}

void refresh(const cache& files, record& all)
{
    const int number = all.current;
    std::ofstream{files.prices} << number;
    std::this_thread::sleep_for(2ms);  // as if it came from a slow database
    std::ofstream{files.discounts} << number;
    ++all.refreshes;
}

// Returns a reader's hold. The files were up to date when it was granted.
pawl::hold read_up_to_date(pawl::shared_mutex& lock, const cache& files, record& all)
{
    pawl::hold reader = lock.acquire_shared();
    if (read(files.discounts) == all.current) return reader;

    std::optional<pawl::hold> writer = lock.try_upgrade(reader);
    if (!writer) {
        reader.release();
        writer = lock.acquire();
    }
    if (read(files.discounts) != all.current) refresh(files, all);
    return lock.downgrade(std::move(*writer));
}

void answer(pawl::shared_mutex& lock, const cache& files, record& all)
{
    const pawl::hold reader = read_up_to_date(lock, files, all);
    if (++all.reading > 1) all.together = 1;
    const int price = read(files.prices);
    std::this_thread::sleep_for(1ms);
    if (read(files.discounts) != price) ++all.mixed;
    --all.reading;
    ++all.answers;
}

int service(const std::string& url, const std::string& name, const cache& files, record& all)
{
    pawl::client client{url};
    pawl::shared_mutex lock{client, name};

    // Asked once before the workers start: a server that cannot be reached is then reported here, and
    // not by an exception in a thread.
    lock.acquire_shared().release();

    std::vector<std::jthread> threads;
    for (int i = 0; i < workers; ++i) {
        threads.emplace_back([&] {
            for (int request = 0; request < requests; ++request) {
                // Some answers later the prices change.
                const int due = 1 + all.answers * price_lists / (services * workers * requests);
                int before = due - 1;
                all.current.compare_exchange_strong(before, due);
                answer(lock, files, all);
            }
        });
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string url = example::url_from(argc, argv);
    const example::scratch_dir scratch;
    const cache files{.prices = scratch.file("prices"), .discounts = scratch.file("discounts")};
    // Named after the resource. The process id separates two runs of this example.
    const std::string name = "example:prices:" + std::to_string(::getpid());
    record& all = make_record();

    const bool all_well =
        example::run_services(services, [&](int) { return service(url, name, files, all); });
    if (!all_well) return EXIT_FAILURE;  // the failed service has printed why

    if (all.mixed != 0 || all.refreshes != price_lists || all.together != 1) {
        say("WRONG: " + std::to_string(all.mixed) + " mixed answers, " +
            std::to_string(all.refreshes) + " refreshes");
        return EXIT_FAILURE;
    }
    say("=> " + std::to_string(all.answers) + " answers of 3 services, " +
        std::to_string(all.refreshes) + " price lists: each was written once, and none was mixed");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
