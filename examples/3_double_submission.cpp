// Double submission: a user presses the button five times, and one order is made.
//
// Each press is a separate request, and the load balancer sends each to another server: five
// independent processes. The request that gets the lock makes the order. It does not release the
// lock: as long as the lease lasts, further presses are refused.
//
// The stateless functions fit here, because no process stays to renew the lock. The holder is the
// request's id. It is stored with the order, so that any other process can release the lock.
//
//   3_double_submission [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr int presses = 5;

// Longer than a user keeps pressing, and short enough for a user whose order failed.
constexpr auto window = 10s;

void make_order(const std::string& orders, const std::string& request_id)
{
    std::ofstream out{orders, std::ios::app};
    out << request_id << '\n' << std::flush;
    if (!out) throw std::runtime_error{"the order cannot be stored"};
}

int handle_submission(pawl::client& client, const std::string& lock_name,
                      const std::string& request_id, const std::string& orders)
{
    const std::optional<std::uint64_t> fence =
        pawl::stateless::try_lock(client, lock_name, request_id, window);
    if (!fence) {
        say(request_id + ": 409, this cart is being ordered already");
        return 0;
    }
    try {
        make_order(orders, request_id);
    } catch (...) {
        // Nothing was ordered, so the user need not wait for the end of the lease to try again.
        pawl::stateless::unlock(client, lock_name, request_id);
        throw;
    }
    say(request_id + ": 201, order made (fence " + std::to_string(*fence) + ")");
    return 0;
}

std::vector<std::string> read_lines(const std::string& path)
{
    std::ifstream in{path};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string url = example::url_from(argc, argv);
    const example::scratch_dir files;
    const std::string orders = files.file("orders");
    // Named after what must not happen twice: the order of this cart. A lock on the user would also
    // refuse the user's other carts. The process id separates two runs of this example.
    const std::string lock_name = "example:order:cart:" + std::to_string(::getpid());

    const bool all_well = example::run_services(presses, [&](int press) {
        pawl::client client{url};
        return handle_submission(client, lock_name, "request-" + std::to_string(press), orders);
    });
    if (!all_well) return EXIT_FAILURE;  // the failed service has printed why

    const std::vector<std::string> made = read_lines(orders);
    if (made.size() != 1) {
        say("WRONG: " + std::to_string(made.size()) + " orders");
        return EXIT_FAILURE;
    }
    say("=> 5 presses, one order");

    // Later, in another process: the order is paid, and the cart may be filled and ordered again.
    // Only the id of the request that made the order can free the lock, so a wrong id does no harm.
    pawl::client client{url};
    const bool by_stranger = pawl::stateless::unlock(client, lock_name, "request-of-a-stranger");
    const bool by_holder = pawl::stateless::unlock(client, lock_name, made.front());
    if (by_stranger || !by_holder) {
        say("WRONG: the lock had another holder");
        return EXIT_FAILURE;
    }
    say("=> freed by " + made.front() + "'s id, and by no other");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
