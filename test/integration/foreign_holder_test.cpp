// A plain lock that is shared with libraries that do not know queues and messages.
#include "integration/contended.h"

namespace pawl::test {
namespace {

constexpr auto lease = 1500ms;  // so that a waiter looks every 500 ms
constexpr auto late = slack;

// A token of redis-py (uuid1, as 32 hexadecimal digits). Its locks have no expiry by default.
constexpr std::string_view redis_py_token = "0f8fad5bd9cb469fa16570867728950e";

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

TEST_F(foreign_holder, is_followed_by_a_polling_waiter_at_its_next_poll)
{
    mutex lock{first_, "job", polling(20ms)};
    asking next{lock};
    const auto before = probe_.calls("evalsha");
    ASSERT_TRUE(eventually([&] { return probe_.calls("evalsha") > before + 2; }));
    EXPECT_EQ(leftovers(), std::vector<std::string>{"job"});  // it is not in a queue
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(next.ends_within(20ms + slack));
    EXPECT_TRUE(next.result());
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_F(foreign_holder, is_followed_by_a_polling_waiter_without_a_subscription)
{
    mutex lock{first_, "job", polling(20ms)};
    asking next{lock};
    const auto before = probe_.calls("evalsha");
    ASSERT_TRUE(eventually([&] { return probe_.calls("evalsha") > before + 2; }));
    EXPECT_EQ(probe_.subscribed_connections(), std::vector<std::string>{});
}

TEST_F(foreign_holder, is_followed_by_a_waiter_in_the_queue_at_its_next_look)
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

TEST_F(foreign_holder, is_followed_as_soon_as_its_lease_ends)
{
    probe_.must({"PEXPIRE", "job", "700"});
    mutex lock{first_, "job", quick(long_lease)};
    std::optional<hold> got;
    EXPECT_LT(time_of([&] { got = lock.try_acquire_for(patience); }), 700ms + 50ms + late);
    EXPECT_TRUE(got);
}

TEST_F(foreign_holder, without_a_lease_is_followed_too)
{
    probe_.must({"SET", "job", redis_py_token});
    mutex lock{first_, "job", quick(lease)};
    asking next{lock};
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(next.ends_within(look_interval(lease)));
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(next.ends_within(look_interval(lease) + late));
}

TEST_F(foreign_holder, that_takes_the_freed_lock_does_not_remove_a_waiter)
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

TEST_F(foreign_holder, is_not_disturbed_by_waiters)
{
    mutex lock{first_, "job", quick(lease)};
    mutex polled{second_, "job", polling(10ms)};
    asking one{lock};
    asking two{polled};
    ASSERT_TRUE(until_queued(1));
    EXPECT_TRUE(always(1200ms, [&] { return probe_.get("job") == "someone"; }));
    EXPECT_GT(probe_.ttl("job"), 50s);
}

TEST_F(foreign_holder, can_be_a_stateless_holder)
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

// With a lease of 30 s a waiter looks every 10 s, unless it sees that the holder announces nothing.

TEST_F(foreign_holder, that_announces_nothing_is_followed_soon_for_any_lease)
{
    for (const std::string_view token : {std::string_view{"someone"}, redis_py_token}) {
        probe_.must({"SET", "job", token, "PX", "60000"});
        mutex lock{first_, "job", quick(long_lease)};
        asking next{lock};
        ASSERT_TRUE(until_queued(1));
        probe_.must({"DEL", "job"});
        EXPECT_TRUE(next.ends_within(soon)) << token;
    }
}

TEST_F(foreign_holder, in_the_hash_layout_is_followed_soon)
{
    probe_.must({"DEL", "job"});
    probe_.must({"HSET", "job", "285475da-9152-4c83-822a-67ee2f116a79:52", "1"});
    probe_.must({"PEXPIRE", "job", "60000"});
    recursive_mutex lock{first_, "job", quick(long_lease)};
    asking next{lock};
    ASSERT_TRUE(until_queued(1));
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(next.ends_within(soon));
}

TEST_F(foreign_holder, causes_at_most_fifty_looks_per_second)
{
    mutex lock{first_, "job", quick(long_lease)};
    std::optional<hold> got;
    std::int64_t asked = 0;
    const auto took = time_of([&] {
        const auto before = probe_.calls("evalsha");
        got = lock.try_acquire_for(1s);
        asked = probe_.calls("evalsha") - before;
    });
    EXPECT_FALSE(got);
    // There are a few more until the client listens, and one that gives the place back.
    EXPECT_LE(asked, took / 20ms + 10);
}

TEST_F(foreign_holder, with_an_absurd_lease_does_not_flood_the_server)
{
    probe_.must({"SET", "job", "x", "PX", "9000000000000000"});
    mutex lock{first_, "job", quick(long_lease)};
    std::int64_t asked = 0;
    const auto took = time_of([&] {
        const auto before = probe_.calls("evalsha");
        EXPECT_FALSE(lock.try_acquire_for(1s));
        asked = probe_.calls("evalsha") - before;
    });
    EXPECT_LE(asked, took / 20ms + 10);
}

TEST_F(foreign_holder, that_is_followed_by_a_pawl_holder_ends_the_frequent_looks)
{
    mutex lock{first_, "job", quick(long_lease)};
    mutex other{second_, "job", quick(long_lease)};
    asking one{lock};
    asking two{other};
    ASSERT_TRUE(until_queued(2));
    probe_.must({"DEL", "job"});
    ASSERT_TRUE(eventually([&] { return one.ends_within(0ms) || two.ends_within(0ms); }));
    ASSERT_TRUE(until_queued(1));
    // At its next look the remaining waiter learns that the holder is pawl's. Then it waits for a
    // message.
    ASSERT_TRUE(eventually([&] {
        const auto before = probe_.calls("evalsha");
        return always(500ms, [&] { return probe_.calls("evalsha") == before; });
    }));
}

class not_a_lock_at_all : public contended {
protected:
    [[nodiscard]] outcome told(lockable& lock, bool waits) const
    {
        return outcome_of([&] {
            if (waits) {
                (void)lock.try_acquire_for(patience);
            } else {
                (void)lock.try_acquire();
            }
        });
    }
};

TEST_F(not_a_lock_at_all, is_a_string_without_expiry_that_no_lock_library_writes)
{
    for (const char* value : {"hello", "42", "Some text, which someone keeps here."}) {
        probe_.must({"SET", "job", value});
        for (const bool waits : {true, false}) {
            mutex lock{first_, "job", quick(long_lease)};
            const auto got = told(lock, waits);
            EXPECT_EQ(got.code, errc::not_a_lock) << value;
            EXPECT_TRUE(says(got.message, "expiry"));
        }
        EXPECT_EQ(probe_.get("job"), value);
    }
    EXPECT_TRUE(eventually([&] { return leftovers() == std::vector<std::string>{"job"}; }));
}

TEST_F(not_a_lock_at_all, is_a_hash_without_expiry_that_no_lock_library_writes)
{
    probe_.must({"HSET", "job", "name", "Smith"});
    recursive_mutex lock{first_, "job", quick(long_lease)};
    EXPECT_EQ(told(lock, true).code, errc::not_a_lock);
}

TEST_F(not_a_lock_at_all, is_reported_at_once_and_leaves_no_waiter_behind)
{
    probe_.must({"RPUSH", "a list", "x"});
    probe_.must({"SET", "a string", "hello"});
    for (const char* name : {"a list", "a string"}) {
        const auto took = time_of([&] {
            client_options made = options();
            made.command_limit = 60s;
            made.shutdown_limit = 60s;
            client own{made};
            mutex lock{own, name, quick(long_lease)};
            EXPECT_EQ(told(lock, false).code, errc::not_a_lock);
        });
        EXPECT_LT(took, 10s) << name << ": a third of the command limit is 20 s";
    }
}

}  // namespace
}  // namespace pawl::test
