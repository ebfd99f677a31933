// The fixture of tests of acquire_machine with the server's queue.
#pragma once

#include "core/acquire.h"
#include "unit/at.h"
#include "unit/sent.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pawl::core {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using test::always;
using test::at;
using test::sent;
using kind = step::kind;

inline busy queued(milliseconds left = -1ms)
{
    return {.left = left, .queued = true};
}

class waiting_in_the_queue : public testing::Test {
protected:
    acquire_machine machine(time_limit limit = time_limit::never(), milliseconds lease = 9s,
                            double jitter = 1)
    {
        random_ = always(jitter);
        return acquire_machine{{.mine = {&object_, "me"},
                                .lease = lease,
                                .poll_interval = 100ms,
                                .command_limit = 300ms,
                                .drift = 0.01,
                                .limit = limit,
                                .own_holder = true,
                                .joins = true,
                                .fair = true,
                                .client = "client",
                                .reserve = 7},
                               random_};
    }

    // In the queue since 1 ms after the start.
    acquire_machine waiting(time_limit limit = time_limit::never(), milliseconds lease = 9s)
    {
        auto m = machine(limit, lease);
        static_cast<void>(m.start(at(0)));
        EXPECT_EQ(m.answered(queued(), at(1)).what, kind::wait);
        return m;
    }

    [[nodiscard]] static grant_notice notice(base::boot_time when)
    {
        return {.holder = "me", .fence = 17, .at = when};
    }

    object object_{.name = "stock:42"};
    base::random_unit random_;
};

}  // namespace pawl::core
