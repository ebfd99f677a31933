// The fixture of tests of acquire_machine without a queue.
#pragma once

#include "core/acquire.h"
#include "unit/at.h"
#include "unit/sent.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pawl::core {

using namespace std::chrono_literals;
using test::always;
using test::at;
using test::sent;
using kind = step::kind;

inline const failure no_answer{
    .what = failure_kind::no_reply, .detail = "silence", .maybe_executed = true};
inline const failure never_sent{.what = failure_kind::unreachable, .detail = "connection refused"};

inline granted grant(std::uint64_t fence)
{
    return {.fence = fence, .hint = {.value = fence}};
}

inline busy others_hold_it(std::chrono::milliseconds left = -1ms)
{
    return {.left = left};
}

class acquiring : public testing::Test {
protected:
    acquire_machine machine(time_limit limit, double jitter = 1)
    {
        random_ = always(jitter);
        return acquire_machine{{.mine = {&object_, "me"},
                                .lease = 1000ms,
                                .poll_interval = 100ms,
                                .command_limit = 300ms,
                                .drift = 0.01,
                                .limit = limit},
                               random_};
    }

    object object_{.name = "stock:42"};
    base::random_unit random_;
};

}  // namespace pawl::core
