// A server on Boost.Asio: one thread serves requests for many accounts. Two requests for the same
// account never run at the same time, even on different machines.
//
// Each request is a coroutine. It waits for the lock of its account without a thread, works, and
// releases the lock. A request that waits too long is refused with "try again later". At the end
// all waiting requests are cancelled, as in a server that shuts down.
//
//   5_asio_server [URL]
#include "services.h"

#include <pawl/asio.h>
#include <pawl/pawl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <unistd.h>

using namespace std::chrono_literals;
using example::say;
namespace net = boost::asio;
using net::awaitable;
using net::use_awaitable;

namespace {

constexpr int accounts = 10;
constexpr int requests_for_each = 100;

struct bank {
    std::map<std::string, int> balances;
    int served = 0;
    int turned_away = 0;
    int cancelled = 0;
};

awaitable<void> pause(std::chrono::milliseconds time)
{
    net::steady_timer timer{co_await net::this_coro::executor, time};
    co_await timer.async_wait(use_awaitable);
}

// One request. The lock is made when it is needed: it is no more than a name.
awaitable<void> deposit(pawl::client& client, bank& bank, std::string account,
                        std::chrono::milliseconds patience)
{
    pawl::mutex lock{client, account};
    auto held = co_await lock.async_try_acquire_for(patience, use_awaitable);
    if (!held) {
        ++bank.turned_away;
        co_return;
    }
    const int balance = bank.balances[account];
    co_await pause(1ms);  // other requests are served meanwhile, but none for this account
    bank.balances[account] = balance + 1;
    ++bank.served;
    co_await held->async_release(use_awaitable);
}

// What co_spawn calls at the end of a request.
auto at_end(bank& bank)
{
    return [&bank](const std::exception_ptr& problem) {
        try {
            if (problem) std::rethrow_exception(problem);
        } catch (const boost::system::system_error& e) {
            if (e.code() != pawl::errc::cancelled) throw;
            ++bank.cancelled;
        }
    };
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string prefix = "example:account:" + std::to_string(::getpid()) + ":";
    pawl::client client{example::url_from(argc, argv)};
    net::io_context io;
    bank bank;

    for (int i = 0; i < accounts * requests_for_each; ++i) {
        const std::string account = prefix + std::to_string(i % accounts);
        net::co_spawn(io, deposit(client, bank, account, 30s), at_end(bank));
    }
    io.run();
    for (const auto& [account, balance] : bank.balances) {
        if (balance == requests_for_each) continue;
        say("WRONG: a deposit into " + account + " was lost");
        return EXIT_FAILURE;
    }
    say("=> " + std::to_string(bank.served) + " deposits by one thread: nothing was lost");

    // Someone else, on another machine maybe, has the lock of an account for longer.
    pawl::client elsewhere{example::url_from(argc, argv)};
    pawl::mutex lock{elsewhere, prefix + "0"};
    const pawl::hold held = lock.acquire();
    net::co_spawn(io, deposit(client, bank, prefix + "0", 100ms), at_end(bank));
    io.restart();
    io.run();
    say("=> turned away after its 100 ms: " + std::to_string(bank.turned_away));

    std::array<net::cancellation_signal, 3> signals;
    for (net::cancellation_signal& signal : signals) {
        net::co_spawn(io, deposit(client, bank, prefix + "0", 1h),
                      net::bind_cancellation_slot(signal.slot(), at_end(bank)));
    }
    io.restart();
    io.run_for(100ms);
    // In the io_context's thread, as co_spawn demands of Boost 1.81.
    net::post(io, [&signals] {
        for (auto& signal : signals) signal.emit(net::cancellation_type::terminal);
    });
    io.run();
    say("=> cancelled when the server shut down: " + std::to_string(bank.cancelled));
    const bool as_expected = bank.turned_away == 1 && bank.cancelled == 3;
    return as_expected ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& problem) {
    // An error code has no room for the name of the server.
    std::cerr << example::url_from(argc, argv) << ": " << problem.what() << '\n';
    return EXIT_FAILURE;
}
