// The fixture of tests of conditions over a memory server: two clients, each with the same lock and condition.
#pragma once

#include "unit/memory_waiters_fixture.h"

#include <pawl/condition_variable.h>

#include <cstdint>
#include <future>
#include <mutex>
#include <system_error>
#include <utility>

namespace pawl::test {

class memory_condition : public with_waiters {
protected:
    // Both clients listen from the beginning. A client that does not listen yet, as in its first wait, looks
    // often, and is not moved to the queue of the lock.
    void SetUp() override
    {
        mutex first{client_, "first"};
        mutex second{other_, "first"};
        auto held = first.acquire();
        auto theirs = wait_for(second);
        held.release();
        auto mine = theirs.get();
        auto last = wait_for(first);
        mine.release();
        last.get().release();
    }

    // Another thread runs `wait`. When this returns, it is in the condition, as the last of `all`.
    template <class Wait>
    [[nodiscard]] auto waiting(Wait wait, std::int64_t all = 1)
    {
        auto made = std::async(std::launch::async, std::move(wait));
        EXPECT_TRUE(eventually([&] { return queue_.length("job", "more") == all; }));
        return made;
    }

    // Another thread waits with a hold, which it returns.
    [[nodiscard]] std::future<hold> waiting_hold(mutex& lock, condition_variable& what,
                                                 std::int64_t all = 1)
    {
        return waiting(
            [&] {
                auto held = lock.acquire();
                what.wait(held);
                return held;
            },
            all);
    }

    // A waiter of the first client is notified, is cut off, and gives up. Before that, the second client
    // begins to wait. Its thread returns the hold.
    [[nodiscard]] std::future<hold> waiting_behind_one_that_gives_up()
    {
        auto gives_up = waiting([this] {
            auto held = mutex_.acquire();
            std::error_code ec;
            more_.wait(held, ec);
            return ec;
        });
        auto theirs = their_mutex_.acquire();
        their_more_.notify_one();
        EXPECT_EQ(queue_.length("job"), 1) << "it is in the queue of the lock";
        server_.cut_off(client_);
        auto next = waiting([this, held = std::move(theirs)]() mutable {
            their_more_.wait(held);
            return std::move(held);
        });
        while (!is_ready(gives_up)) server_.advance(1s);
        EXPECT_EQ(gives_up.get(), errc::unreachable);
        return next;
    }

    [[nodiscard]] bool nothing_is_left()
    {
        return eventually([&] {
            return queue_.length("job") == 0 && queue_.length("job", "more") == 0 &&
                   !queue_.is_held("job");
        });
    }

    condition_variable more_{mutex_, "more"};
    mutex their_mutex_{other_, "job"};
    condition_variable their_more_{their_mutex_, "more"};
};

}  // namespace pawl::test
