// A plain lock that is shared with libraries which know nothing of queues and messages.
#include "integration/contended.h"

namespace pawl::test {
namespace {

constexpr auto lease = 1500ms;  // so that who waits looks every 500 ms
constexpr auto late = slack;

class foreign_holder : public contended {
protected:
    void SetUp() override
    {
        ASSERT_EQ(probe_.must({"SET", "job", "someone", "NX", "PX", "60000"}).text, "OK");
    }

    [[nodiscard]] static lock_options polling(std::chrono::milliseconds interval)
    {
        lock_options made = quick(long_lease);
        made.wait = poll{interval};
        return made;
    }
};

TEST_F(foreign_holder, is_followed_by_who_polls_as_soon_as_he_asks)
{
    mutex lock{first_, "job", polling(20ms)};
    asking next{lock};
    const auto before = probe_.calls("evalsha");
    ASSERT_TRUE(eventually([&] { return probe_.calls("evalsha") > before + 2; }));
    EXPECT_EQ(leftovers(), std::vector<std::string>{"job"});  // nobody queues for that
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(next.ends_within(20ms + slack));
    EXPECT_TRUE(next.result());
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_F(foreign_holder, is_followed_by_who_polls_without_a_subscription)
{
    mutex lock{first_, "job", polling(20ms)};
    asking next{lock};
    const auto before = probe_.calls("evalsha");
    ASSERT_TRUE(eventually([&] { return probe_.calls("evalsha") > before + 2; }));
    EXPECT_EQ(probe_.subscribed_connections(), std::vector<std::string>{});
}

TEST_F(foreign_holder, is_followed_by_who_waits_to_be_told_when_he_looks)
{
    for (const lock_kind kind : {lock_kind::plain, lock_kind::fair}) {
        any_lock lock{kind, first_, "job", quick(lease)};
        asking next{*lock};
        ASSERT_TRUE(until_queued(1));
        probe_.must({"DEL", "job"});
        EXPECT_TRUE(next.ends_within(look_interval(lease) + late));
        EXPECT_TRUE(next.result());
        EXPECT_EQ(leftovers(), std::vector<std::string>{});
        SetUp();
    }
}

TEST_F(foreign_holder, is_followed_as_soon_as_his_lease_is_over)
{
    probe_.must({"PEXPIRE", "job", "700"});
    mutex lock{first_, "job", quick(long_lease)};
    std::optional<hold> got;
    EXPECT_LT(time_of([&] { got = lock.try_acquire_for(patience); }), 700ms + 50ms + late);
    EXPECT_TRUE(got);
}

TEST_F(foreign_holder, without_a_lease_is_followed_too)
{
    probe_.must({"PERSIST", "job"});
    mutex lock{first_, "job", quick(lease)};
    asking next{lock};
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(next.ends_within(look_interval(lease)));
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(next.ends_within(look_interval(lease) + late));
}

TEST_F(foreign_holder, of_a_free_lock_does_not_make_who_waits_forget_it)
{
    mutex lock{first_, "job", quick(lease)};
    asking next{lock};
    ASSERT_TRUE(until_queued(1));
    for (int i = 0; i < 5; ++i) {
        probe_.must({"SET", "job", "another", "PX", "60000"});
        EXPECT_FALSE(next.ends_within(300ms));
        EXPECT_EQ(probe_.get("job"), "another");
    }
    EXPECT_EQ(queued(), 1);
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(next.ends_within(look_interval(lease) + late));
}

TEST_F(foreign_holder, is_not_disturbed_by_those_who_wait)
{
    mutex lock{first_, "job", quick(lease)};
    mutex polled{second_, "job", polling(10ms)};
    asking one{lock};
    asking two{polled};
    ASSERT_TRUE(until_queued(1));
    EXPECT_TRUE(always(1200ms, [&] { return probe_.get("job") == "someone"; }));
    EXPECT_GT(probe_.ttl("job"), 50s);
}

TEST_F(foreign_holder, can_be_a_stateless_one)
{
    probe_.must({"DEL", "job"});
    ASSERT_TRUE(stateless::try_lock(first_, "job", "request-1", 1min));
    mutex lock{second_, "job", quick(lease)};
    asking next{lock};
    ASSERT_TRUE(until_queued(1));
    EXPECT_TRUE(stateless::unlock(first_, "job", "request-1"));
    EXPECT_TRUE(next.ends_within(look_interval(lease) + late));
    EXPECT_FALSE(stateless::unlock(first_, "job", "request-1"));
    const auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_EQ(holder(), got->id());
}

}  // namespace
}  // namespace pawl::test
