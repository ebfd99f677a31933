// The fixture of tests in which clients of a memory server wait for one another.
#pragma once

#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

#include <cstdint>
#include <future>

namespace pawl::test {

class with_waiters : public with_memory {
protected:
    // Another thread wants the lock. When this returns, it is in the server's queue, as the last of
    // `all`.
    [[nodiscard]] std::future<hold> wait_for(acquirable& lock, std::int64_t all = 1)
    {
        auto waiting = std::async(std::launch::async, [&lock] { return lock.acquire(); });
        EXPECT_TRUE(eventually([&] { return queue_.length(lock.name()) == all; }));
        return waiting;
    }

    template <class Result>
    [[nodiscard]] static bool is_ready(const std::future<Result>& what)
    {
        return what.wait_for(0s) == std::future_status::ready;
    }

    // Lets time pass until it is ready.
    template <class Result>
    [[nodiscard]] Result get(std::future<Result>& what)
    {
        while (!is_ready(what)) server_.advance(1s);
        return what.get();
    }

    queue_view queue_{server_.url()};
    client other_{options()};
};

}  // namespace pawl::test
