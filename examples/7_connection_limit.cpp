// A connection limit across services: a database accepts five connections, and refuses the sixth.
//
// Four services, each a separate process with six workers, use this database. A pool inside each
// process cannot help: no process knows how many connections the others have. A semaphore with five
// permits counts them for all. A worker takes one permit for each connection. A report needs two
// connections at the same time, and takes two permits together: if it took one and then waited for
// another, five reports could wait for each other for ever.
//
// If a service crashes, its permits come back when their leases have ended.
//
//   7_connection_limit [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr int services = 4;
constexpr int workers = 6;
constexpr int queries = 5;  // of each worker; the last one is a report
constexpr unsigned connection_limit = 5;

// The database. All processes see the same one.
struct database {
    std::atomic<unsigned> open{0};
    std::atomic<unsigned> refused{0};
    std::atomic<unsigned> answered{0};

    void query(unsigned connections)
    {
        if ((open += connections) > connection_limit) ++refused;
        std::this_thread::sleep_for(3ms);
        open -= connections;
        ++answered;
    }
};

database& make_database()
{
    void* const where = ::mmap(nullptr, sizeof(database), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (where == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "mmap"};
    return *new (where) database;
}

void work(pawl::counting_semaphore& connections, database& shop)
{
    for (int i = 1; i <= queries; ++i) {
        const unsigned needed = i == queries ? 2 : 1;
        const pawl::hold held = connections.acquire(needed);
        shop.query(needed);
    }
}

int service(const std::string& url, const std::string& name, database& shop)
{
    pawl::client client{url};
    pawl::counting_semaphore connections{client, name, connection_limit};

    // Asked once before the workers start: a server that cannot be reached is then reported here, and
    // not by an exception in a thread.
    connections.acquire().release();

    std::vector<std::jthread> all;
    for (int i = 0; i < workers; ++i) all.emplace_back([&] { work(connections, shop); });
    return 0;
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string url = example::url_from(argc, argv);
    // Named after the resource. The process id separates two runs of this example.
    const std::string name = "example:shop-database:" + std::to_string(::getpid());
    database& shop = make_database();

    const bool all_well =
        example::run_services(services, [&](int) { return service(url, name, shop); });
    if (!all_well) return EXIT_FAILURE;  // the failed service has printed why

    if (shop.refused != 0 || shop.answered != services * workers * queries) {
        say("WRONG: the database refused " + std::to_string(shop.refused) + " queries");
        return EXIT_FAILURE;
    }
    say("=> " + std::to_string(shop.answered) +
        " queries of 4 services, never more than 5 connections: none was refused");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
