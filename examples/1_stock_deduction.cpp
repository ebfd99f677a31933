// Stock deduction: several services sell from one stock, and nothing is sold twice.
//
// Four sellers, each a separate process, serve 40 customers from a stock of 30. A sale reads the
// stock, takes the payment and writes the new stock. Without a lock two sellers would read the same
// number, and both would sell that unit.
//
// The second part shows what a lock alone cannot do. A seller that stalls for longer than its lease
// has lost the lock, but may still write. The stock keeper detects this by the fence: a number that
// grows with each grant.
//
//   1_stock_deduction [URL]
#include "services.h"

#include <pawl/pawl.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using example::say;

namespace {

constexpr int sellers = 4;
constexpr int customers_of_each = 10;
constexpr int units_at_first = 30;

// A store that remembers fences. It keeps a row for each change, and the last row counts.
class stock_keeper {
public:
    struct row {
        int units;
        std::uint64_t fence;
    };

    stock_keeper(std::string path, int units) : path_{std::move(path)} { append({units, 0}); }

    [[nodiscard]] std::vector<row> rows() const
    {
        std::ifstream in{path_};
        std::vector<row> all;
        for (row next{}; in >> next.units >> next.fence;) all.push_back(next);
        return all;
    }

    [[nodiscard]] int units() const { return rows().back().units; }

    // If a greater fence was seen already, returns false and changes nothing. In a database this is
    //
    //   UPDATE stock SET units = :units, fence = :fence WHERE item = 42 AND fence <= :fence
    //
    // The store compares and writes in one step. flock() ensures that for this file.
    [[nodiscard]] bool set_units(int units, std::uint64_t fence)
    {
        const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0 || ::flock(file, LOCK_EX) != 0) throw std::runtime_error{"no stock file"};
        const bool accepted = fence >= rows().back().fence;
        if (accepted) append({units, fence});
        ::close(file);
        return accepted;
    }

private:
    void append(row next) const
    {
        std::ofstream{path_, std::ios::app} << next.units << ' ' << next.fence << '\n';
    }

    std::string path_;
};

// Whether there was a unit left to sell.
bool sell_one(pawl::mutex& lock, stock_keeper& stock)
{
    const std::scoped_lock guard{lock};
    const int units = stock.units();
    if (units == 0) return false;
    // The payment. Without a lock, other sellers would read the same number now.
    std::this_thread::sleep_for(3ms);
    if (!stock.set_units(units - 1, lock.current()->fence())) {
        throw std::runtime_error{"the sale was refused: the lock was lost during the payment"};
    }
    return true;
}

int seller(int number, const std::string& url, const std::string& lock_name, stock_keeper stock)
{
    pawl::client client{url};
    pawl::mutex lock{client, lock_name};
    int sold = 0;
    for (int customer = 0; customer < customers_of_each; ++customer) {
        if (sell_one(lock, stock)) ++sold;
        std::this_thread::sleep_for(5ms);  // until the next customer comes
    }
    say("seller " + std::to_string(number) + " sold " + std::to_string(sold) + ", sent away " +
        std::to_string(customers_of_each - sold));
    return 0;
}

// Each row sells one more unit, with a greater fence, until none is left.
bool nothing_oversold(const stock_keeper& stock)
{
    const std::vector<stock_keeper::row> rows = stock.rows();
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].units != rows[i - 1].units - 1) return false;
        if (rows[i].fence <= rows[i - 1].fence) return false;
    }
    return rows.size() == units_at_first + 1 && rows.back().units == 0;
}

bool a_late_sale_is_refused(const std::string& url, const std::string& lock_name,
                            stock_keeper stock)
{
    // A lease that is not renewed simulates a process that hangs: in a page fault, in a garbage
    // collection, or on a suspended laptop.
    pawl::client hanging{url};
    pawl::mutex its_lock{hanging, lock_name, {.lease = 300ms, .renew = false}};
    const pawl::hold late = its_lock.acquire();
    const int seen = stock.units();
    say("a seller takes the lock with fence " + std::to_string(late.fence()) + ", reads " +
        std::to_string(seen) + " units, and hangs");

    pawl::client other{url};
    pawl::mutex lock{other, lock_name};
    const pawl::hold next = lock.acquire();  // granted when the lease has ended
    const bool sold = stock.set_units(stock.units() - 1, next.fence());
    say("another takes it with fence " + std::to_string(next.fence()) + " and sells one");

    // The first seller wakes up. If it asks, lost() reports the loss. But it could also be writing
    // to the store already, and then only the fence stops it.
    const bool told = late.lost().stop_requested();
    const bool refused = !stock.set_units(seen - 1, late.fence());
    say("the first wakes up: lost() says " + std::string{told ? "lost" : "held"} +
        ", and its sale is " + (refused ? "refused for its old fence" : "accepted"));
    return sold && told && refused && stock.units() == seen - 1;
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string url = example::url_from(argc, argv);
    const example::scratch_dir files;
    // The lock is named after the resource. The process id separates two runs of this example.
    const std::string lock_name = "example:stock:42:" + std::to_string(::getpid());

    const stock_keeper stock{files.file("stock"), units_at_first};
    const bool all_well = example::run_services(
        sellers, [&](int number) { return seller(number, url, lock_name, stock); });
    if (!all_well) return EXIT_FAILURE;  // the failed service has printed why
    if (!nothing_oversold(stock)) {
        say("WRONG: the stock does not add up");
        return EXIT_FAILURE;
    }
    say("=> 30 of 30 units sold to 40 customers: nothing oversold");

    if (!a_late_sale_is_refused(url, lock_name, {files.file("new stock"), 5})) {
        say("WRONG: a late sale got through");
        return EXIT_FAILURE;
    }
    say("=> the unit was sold once");
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
