// The fence grows with every grant, whatever happens to the server's data.
#include "integration/fixture.h"

#include <mutex>

namespace pawl::test {
namespace {

class fence : public with_server {
protected:
    static std::uint64_t next(lockable& lock) { return lock.acquire().fence(); }

    std::uint64_t server_time_us()
    {
        const auto parts = probe_.must({"TIME"}).texts();
        return std::stoull(parts.at(0)) * 1'000'000 + std::stoull(parts.at(1));
    }

    client client_{options()};
    mutex mutex_{client_, "job", quick(10s)};
};

TEST_F(fence, grows_with_every_grant_to_any_client)
{
    client other{options(server_.url())};
    mutex others{other, "job", quick(10s)};
    std::uint64_t last = 0;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t got = next(i % 3 == 0 ? others : mutex_);
        ASSERT_GT(got, last);
        last = got;
    }
}

TEST_F(fence, is_shared_by_all_ways_to_take_the_lock)
{
    mutex hashed{client_, "job", quick(10s, layout::hash)};
    recursive_mutex recursive{client_, "job", quick(10s)};
    std::uint64_t last = 0;
    for (int i = 0; i < 3; ++i) {
        for (lockable* lock : std::initializer_list<lockable*>{&mutex_, &hashed, &recursive}) {
            const std::uint64_t got = next(*lock);
            ASSERT_GT(got, last);
            last = got;
        }
        const auto got = stateless::try_lock(client_, "job", "me", 1s);
        ASSERT_TRUE(got);
        ASSERT_GT(*got, last);
        last = *got;
        ASSERT_TRUE(stateless::unlock(client_, "job", "me"));
    }
}

TEST_F(fence, grows_when_all_data_is_flushed)
{
    const std::uint64_t before = next(mutex_);
    probe_.must({"FLUSHALL"});
    EXPECT_GT(next(mutex_), before);
}

TEST_F(fence, grows_when_the_server_restarts_without_its_data)
{
    const std::uint64_t before = next(mutex_);
    server_.restart();
    EXPECT_GT(next(mutex_), before);
}

TEST_F(fence, grows_when_its_own_key_is_ahead_of_the_clock)
{
    // As if the server's clock had been set back by a day.
    (void)next(mutex_);
    const std::uint64_t ahead = server_time_us() + 86'400'000'000;
    probe_.must({"SET", "pawl:fence:{job}", std::to_string(ahead), "KEEPTTL"});
    EXPECT_EQ(next(mutex_), ahead + 1);
    EXPECT_EQ(next(mutex_), ahead + 2);
}

TEST_F(fence, is_not_behind_the_servers_clock)
{
    const std::uint64_t before = server_time_us();
    EXPECT_GE(next(mutex_), before);
    EXPECT_LT(next(mutex_), server_time_us() + 1'000'000);
}

TEST_F(fence, expires)
{
    (void)next(mutex_);
    EXPECT_EQ(probe_.keys("*"), std::vector<std::string>{"pawl:fence:{job}"});
    EXPECT_GT(probe_.ttl("pawl:fence:{job}"), 1h);
}

TEST_F(fence, grows_after_a_lease_ran_out)
{
    lock_options brief = quick(60ms);
    brief.renew = false;
    mutex lock{client_, "job", brief};
    const hold first = lock.acquire();
    const hold second = mutex_.acquire();
    EXPECT_GT(second.fence(), first.fence());
}

TEST_F(fence, is_told_in_the_events)
{
    hold held = mutex_.acquire();
    const std::string id = held.id();
    held.release();
    EXPECT_EQ(events_.first(hold_state::released, id).fence, held.fence());
}

}  // namespace
}  // namespace pawl::test
