// The fixture of the tests of <pawl/asio.h>: one lock that two clients want, and an io_context that
// the test runs.
#pragma once

#include "async/contended_memory.h"

#include <pawl/asio.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/error_code.hpp>

#include <optional>
#include <utility>

namespace pawl::test {

namespace net = boost::asio;
using boost::system::error_code;

class with_asio : public contended_memory {
protected:
    // Runs the io_context until it has nothing to do. False if that takes too long.
    [[nodiscard]] bool run()
    {
        io_.restart();
        io_.run_for(patience);
        return io_.stopped();
    }

    // Runs a coroutine to its end. Returns its result, or throws its exception.
    template <class Result>
    Result run(net::awaitable<Result> what)
    {
        auto end = net::co_spawn(io_, std::move(what), net::use_future);
        EXPECT_TRUE(run());
        return end.get();
    }

    net::io_context io_;
};

}  // namespace pawl::test
