// A queue with a condition: workers sleep until there is work.
//
// A shop sends its orders to three packers, each a separate process. The orders are lines of a file
// that all of them can reach. A pawl::mutex protects the file. A packer that finds it empty waits for
// a condition of that mutex: it gives the lock back, sleeps, and has the lock again when the shop
// has written an order. No packer asks again and again, and no order is packed twice.
//
//   10_work_queue [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr int packers = 3;
constexpr int orders = 12;
const std::string closed = "closed";  // the last line that the shop writes

// A shop that crashes never closes. So no wait is without a limit.
constexpr auto longest_wait = 30s;

struct shop {
    std::string url;
    std::string name;   // of the lock
    std::string lines;  // the file with the orders
};

std::vector<std::string> read_lines(const shop& where)
{
    std::vector<std::string> all;
    std::ifstream file{where.lines};
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
}

void write_lines(const shop& where, const std::vector<std::string>& all)
{
    std::ofstream file{where.lines};
    for (const auto& line : all) file << line << '\n';
}

int pack(int number, const shop& where)
{
    const std::string me = "packer " + std::to_string(number);
    pawl::client client{where.url};
    pawl::mutex queue{client, where.name};
    pawl::condition_variable more{queue, "more"};

    for (int packed = 0;; ++packed) {
        std::unique_lock lock{queue};
        std::vector<std::string> all;
        const auto has_some = [&] { return !(all = read_lines(where)).empty(); };
        if (!more.wait_for(lock, longest_wait, has_some)) {
            say(me + ": no order and no end, I stop");
            return 1;
        }
        if (all.front() == closed) {
            say(me + ": packed " + std::to_string(packed) + " orders");
            return 0;
        }
        const std::string order = all.front();
        all.erase(all.begin());
        write_lines(where, all);
        lock.unlock();

        say(me + ": " + order);
        std::ofstream{where.lines + ".packed", std::ios::app} << order + '\n';
        std::this_thread::sleep_for(20ms);
    }
}

void add(const shop& where, pawl::mutex& queue, const std::string& line)
{
    const std::scoped_lock guard{queue};
    auto all = read_lines(where);
    all.push_back(line);
    write_lines(where, all);
}

}  // namespace

int main(int argc, char** argv)
try {
    const example::scratch_dir files;
    const shop where{.url = example::url_from(argc, argv),
                     .name = "example:orders:" + std::to_string(::getpid()),
                     .lines = files.file("orders")};

    // Before this process makes its own client.
    std::vector<pid_t> all;
    for (int number = 1; number <= packers; ++number) {
        all.push_back(example::start_service([&where, number] { return pack(number, where); }));
    }

    pawl::client client{where.url};
    pawl::mutex queue{client, where.name};
    pawl::condition_variable more{queue, "more"};
    for (int number = 1; number <= orders; ++number) {
        add(where, queue, "order " + std::to_string(number));
        more.notify_one();
        if (number % packers == 0) std::this_thread::sleep_for(50ms);
    }
    add(where, queue, closed);
    more.notify_all();

    bool all_well = true;
    for (const pid_t packer : all) all_well = example::succeeded(packer) && all_well;
    const shop packed{.url = {}, .name = {}, .lines = where.lines + ".packed"};
    if (!all_well || read_lines(packed).size() != orders) {
        say("WRONG: an order was packed twice, or not at all");
        return EXIT_FAILURE;
    }
    say("=> 12 orders, 3 packers: each order was packed once");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
