// The fixture of tests of the queue of a lock within a client.
#pragma once

#include "core/local_queue.h"

#include "unit/at.h"

#include <gtest/gtest.h>

namespace pawl::core {

using test::at;
using turn = local_queue::turn;
using ending = local_queue::ending;

inline constexpr local_queue::condition fine{.sound = true, .has_fence = true, .lingers = false};

class a_local_queue : public testing::Test {
protected:
    // A caller asked the server, and got the lock.
    void take_from_server(int ms = 0)
    {
        ASSERT_EQ(queue_.arrive(), turn::ask);
        queue_.asked();
        queue_.granted(at(ms));
    }

    local_queue::ticket wait_in_line()
    {
        EXPECT_EQ(queue_.arrive(), turn::wait);
        return queue_.line_up();
    }

    local_queue queue_;
};

}  // namespace pawl::core
