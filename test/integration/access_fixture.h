// For tests of servers that allow only some users or commands: a user with few permissions, and calls
// on most kinds of locks.
#pragma once

#include "integration/fixture.h"

#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace pawl::test {

// Creates a user to which this ACL rule applies. Returns the options of a client of that user.
[[nodiscard]] inline client_options as_clerk(redis_probe& probe, client_options made,
                                             const std::vector<std::string>& rule)
{
    std::vector<std::string> words{"ACL", "SETUSER", "clerk", "reset", "on", ">street"};
    words.insert(words.end(), rule.begin(), rule.end());
    const redis_value reply = probe.command(words);
    EXPECT_FALSE(reply.is_error()) << reply.text;
    made.user = "clerk";
    made.password = "street";
    return made;
}

inline void use_everything(client& own)
{
    for (const layout where : {layout::plain, layout::hash}) {
        mutex lock{own, "stock:42", quick(2400ms, where)};
        recursive_mutex recursive{own, "stock:43", quick(2400ms, where)};
        const std::scoped_lock both{lock, recursive};
        const std::scoped_lock again{recursive};
        EXPECT_TRUE(lock.current()->confirm());
        lock.current()->extend(2500ms);
        EXPECT_TRUE(always(2s, [&] { return lock.current()->state() == hold_state::held; }));
    }
    counting_semaphore seats{own, "stock:47", 3, quick(2400ms)};
    hold one = seats.acquire();
    hold two = seats.acquire(2);
    two.extend(2500ms);
    EXPECT_TRUE(one.confirm());
    EXPECT_TRUE(always(2s, [&] { return one.state() == hold_state::held; }));
    seats.resize(2);
    shared_mutex both{own, "stock:49", quick(2400ms)};
    both.acquire().release();
    EXPECT_TRUE(both.shared().acquire().confirm());
    once_per job{own, "stock:50", 1h, {.aligned = true}, quick(2400ms)};
    if (auto turn = job.try_begin()) turn->done();
    EXPECT_GT(job.due_in(), 0ms);
    EXPECT_TRUE(stateless::try_lock(own, "stock:44", "me", 1s));
    EXPECT_TRUE(stateless::unlock(own, "stock:44", "me"));
    own.ping();
}

// The requests of a semaphore, with any outcome.
inline void try_permits(client& own)
{
    std::error_code ignored;
    counting_semaphore seats{own, "stock:48", 3, quick(1s)};
    lock_options ends = quick(10ms);
    ends.renew = false;
    counting_semaphore brief{own, "stock:48", 3, ends};
    const hold first = brief.try_acquire(ignored).value_or(hold{});
    hold second = seats.try_acquire(ignored).value_or(hold{});
    std::this_thread::sleep_for(20ms);
    // The first lease has ended, so its member is removed.
    (void)seats.try_acquire(2, ignored);
    second.extend(2s, ignored);
    (void)second.confirm(ignored);
    second.release(ignored);
    seats.resize(2, ignored);
}

// The same of a once_per.
inline void try_once(client& own)
{
    std::error_code ignored;
    once_per job{own, "stock:50", 1h, {.aligned = true}, quick(1s)};
    auto turn = job.try_begin(ignored);
    if (turn) turn->done(ignored);
    (void)job.due_in(ignored);
}

}  // namespace pawl::test
