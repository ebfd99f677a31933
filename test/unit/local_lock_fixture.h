// The fixture of tests of core::local_lock: a lease as the server grants it, and callers.
#pragma once

#include "core/local_lock.h"
#include "unit/at.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace pawl::core {

using namespace std::chrono_literals;
using test::at;
using kind = local_lock::turn::kind;
using ending = local_lock::ending::kind;

inline constexpr local_lock::rules usual{.lease = 1000ms};
inline constexpr local_lock::rules lingering{.lease = 1000ms, .linger = 100ms};
inline constexpr local_lock::rules alone{.lease = 1000ms, .shares = false};

class a_local_lock : public testing::Test {
protected:
    // A lease as the server grants it at `when`: 7 is its fence.
    static lease_ptr new_lease(unsigned reserve = 0, base::boot_time when = at(0))
    {
        auto made = std::make_shared<lease>();
        made->what = std::make_shared<const object>(object{.name = "a"});
        made->holder = "me";
        made->length = 1000ms;
        made->fence = 7;
        made->reserve = reserve;
        made->deadline = when + 1000ms;
        return made;
    }

    // A caller arrives, asks the server, and is granted the lock.
    lease_ptr take_from_server(local_lock& lock, base::boot_time now = at(0))
    {
        EXPECT_EQ(lock.arrive(true, now).what, kind::ask);
        return grant(lock, now);
    }

    static lease_ptr grant(local_lock& lock, base::boot_time now = at(0))
    {
        const auto asked = lock.begin_to_ask(false, true);
        auto got = new_lease(asked.reserve, now);
        lock.granted(false, got, now);
        static_cast<void>(lock.take_effects());
        return got;
    }

    static local_lock::ticket wait_in_line(local_lock& lock, base::boot_time now = at(0))
    {
        const auto mine = lock.arrive(true, now);
        EXPECT_EQ(mine.what, kind::wait);
        return mine.number;
    }
};

}  // namespace pawl::core
