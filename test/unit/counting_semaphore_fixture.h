// The fixture of tests of counting_semaphore on a memory server: two clients of one semaphore.
#pragma once

#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

#include <pawl/counting_semaphore.h>
#include <pawl/error.h>

#include <cstdint>
#include <future>
#include <string>

namespace pawl::test {

class counting_semaphores : public with_memory {
protected:
    // Another thread wants permits. When this returns, it is in the server's queue, as the last of `all`.
    [[nodiscard]] std::future<hold> wait_for(counting_semaphore& what, unsigned permits,
                                             std::int64_t all = 1)
    {
        auto waiting =
            std::async(std::launch::async, [&, permits] { return what.acquire(permits); });
        EXPECT_TRUE(eventually([&] { return queue_.length("seats") == all; }));
        return waiting;
    }

    template <class Result>
    [[nodiscard]] static bool is_ready(const std::future<Result>& what)
    {
        return what.wait_for(0s) == std::future_status::ready;
    }

    template <class Call>
    [[nodiscard]] static std::string message_of(Call&& call)
    {
        try {
            call();
            return "no error";
        } catch (const error& problem) {
            return problem.what();
        }
    }

    // Whether nobody has a permit or waits for one.
    [[nodiscard]] bool nothing_is_left()
    {
        return !server_.is_locked("seats") && queue_.length("seats") == 0;
    }

    queue_view queue_{server_.url()};
    client other_{options()};
    counting_semaphore seats_{client_, "seats", 5};
    counting_semaphore wanted_{other_, "seats", 5};
};

}  // namespace pawl::test
