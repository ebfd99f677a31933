// Locks without an object: lock and unlock functions, with a holder that the caller chooses.
#include "integration/fixture.h"
#include "support/fault_proxy.h"

namespace pawl::test {
namespace {

class stateless_pair : public with_server {
protected:
    client client_{options()};
};

TEST_F(stateless_pair, locks_and_unlocks)
{
    const auto fence = stateless::try_lock(client_, "job", "request-1", 5s);
    ASSERT_TRUE(fence);
    EXPECT_GT(*fence, 0);
    EXPECT_EQ(probe_.get("job"), "request-1");
    EXPECT_LE(probe_.ttl("job"), 5s);
    EXPECT_GT(probe_.ttl("job"), 4s);
    EXPECT_TRUE(stateless::unlock(client_, "job", "request-1"));
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(stateless_pair, refuses_a_second_lock_even_to_the_same_holder)
{
    ASSERT_TRUE(stateless::try_lock(client_, "job", "request-1", 5s));
    EXPECT_FALSE(stateless::try_lock(client_, "job", "request-1", 5s));
    std::error_code told;
    EXPECT_FALSE(stateless::try_lock(client_, "job", "request-2", 5s, told));
    EXPECT_EQ(told, errc::busy);
}

TEST_F(stateless_pair, unlocks_for_the_holder_only)
{
    ASSERT_TRUE(stateless::try_lock(client_, "job", "request-1", 5s));
    EXPECT_FALSE(stateless::unlock(client_, "job", "request-2"));
    EXPECT_EQ(probe_.get("job"), "request-1");
    std::error_code told;
    EXPECT_TRUE(stateless::unlock(client_, "job", "request-1", told));
    EXPECT_FALSE(told);
    EXPECT_FALSE(stateless::unlock(client_, "job", "request-1", told));
    EXPECT_FALSE(told);
}

TEST_F(stateless_pair, shows_whether_a_holder_holds_it)
{
    EXPECT_FALSE(stateless::holds(client_, "job", "request-1"));
    ASSERT_TRUE(stateless::try_lock(client_, "job", "request-1", 5s));
    EXPECT_TRUE(stateless::holds(client_, "job", "request-1"));
    EXPECT_FALSE(stateless::holds(client_, "job", "request-2"));
    std::error_code told;
    EXPECT_TRUE(stateless::holds(client_, "job", "request-1", told));
    EXPECT_FALSE(told);
    EXPECT_TRUE(stateless::unlock(client_, "job", "request-1"));

    mutex lock{client_, "job", quick(10s)};
    const hold held = lock.acquire();
    EXPECT_TRUE(stateless::holds(client_, "job", held.id()));

    probe_.must({"RPUSH", "list", "item"});
    EXPECT_FALSE(stateless::holds(client_, "list", "request-1", told));
    EXPECT_EQ(told, errc::not_a_lock);
}

TEST_F(stateless_pair, can_be_unlocked_by_another_client)
{
    ASSERT_TRUE(stateless::try_lock(client_, "job", "request-1", 5s));
    client other{options(server_.url())};
    EXPECT_TRUE(stateless::unlock(other, "job", "request-1"));
}

TEST_F(stateless_pair, is_not_renewed)
{
    ASSERT_TRUE(stateless::try_lock(client_, "job", "request-1", 300ms));
    EXPECT_TRUE(client_.holds().empty());
    EXPECT_TRUE(eventually(300ms + slack, [&] { return !probe_.exists("job"); }));
    EXPECT_FALSE(stateless::unlock(client_, "job", "request-1"));
}

TEST_F(stateless_pair, excludes_a_mutex_of_the_same_name_and_the_other_way_round)
{
    mutex lock{client_, "job", quick(10s)};
    {
        const hold held = lock.acquire();
        EXPECT_FALSE(stateless::try_lock(client_, "job", "request-1", 5s));
        EXPECT_FALSE(stateless::unlock(client_, "job", "request-1"));
    }
    ASSERT_TRUE(stateless::try_lock(client_, "job", "request-1", 5s));
    EXPECT_FALSE(lock.try_acquire());
}

TEST_F(stateless_pair, checks_its_lease)
{
    const auto told = outcome_of([&] { (void)stateless::try_lock(client_, "job", "me", 1ms); });
    EXPECT_EQ(told.code, errc::bad_argument);
    EXPECT_TRUE(says(told.message, "lease"));
}

TEST_F(stateless_pair, distinguishes_kinds_of_errors)
{
    probe_.must({"RPUSH", "list", "item"});
    std::error_code told;
    (void)stateless::try_lock(client_, "list", "me", 1s, told);
    EXPECT_EQ(told, errc::not_a_lock);
    EXPECT_FALSE(stateless::unlock(client_, "list", "me", told));
    EXPECT_EQ(told, errc::not_a_lock);
    client_options hasty = options();
    hasty.command_limit = 1s;
    client own{hasty};
    server_.kill();
    (void)stateless::try_lock(own, "job", "me", 1s, told);
    EXPECT_EQ(told, errc::unreachable);
    (void)stateless::unlock(own, "job", "me", told);
    EXPECT_EQ(told, errc::unreachable);
}

TEST_F(stateless_pair, is_correct_when_replies_get_lost)
{
    fault_proxy proxy{server_.port()};
    client own{options(proxy.url())};
    ASSERT_TRUE(stateless::try_lock(own, "warm-up", "me", 5s));
    ASSERT_TRUE(stateless::unlock(own, "warm-up", "me"));

    proxy.swallow_reply_to(touches("job"), 1, fault_proxy::afterwards::close);
    std::error_code told;
    EXPECT_FALSE(stateless::try_lock(own, "job", "me", 5s, told));
    EXPECT_EQ(told, errc::unreachable);  // it cannot know whether the lock that it finds is its own
    EXPECT_EQ(proxy.counts().swallowed, 1);
    proxy.swallow_reply_to(touches("job"), 1, fault_proxy::afterwards::close);
    EXPECT_TRUE(stateless::unlock(own, "job", "me"));
    EXPECT_EQ(proxy.counts().swallowed, 2);
    EXPECT_FALSE(probe_.exists("job"));
}

}  // namespace
}  // namespace pawl::test
