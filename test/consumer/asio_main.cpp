// A user's smallest program with Boost.Asio. It needs no server.
#include <pawl/asio.h>
#include <pawl/pawl.h>
#include <pawl/testing.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

boost::asio::awaitable<void> use(pawl::mutex& lock, int& status)
{
    pawl::hold held = co_await lock.async_acquire(boost::asio::use_awaitable);
    std::cout << "held, with fence " << held.fence() << '\n';
    co_await held.async_release(boost::asio::use_awaitable);
    status = 0;
}

int main()
{
    int status = 1;
    pawl::client client{"memory:"};
    pawl::mutex lock{client, "job"};
    boost::asio::io_context io;
    boost::asio::co_spawn(io, use(lock, status), boost::asio::detached);
    io.run();
    return status;
}
