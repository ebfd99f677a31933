// A lock that seems to be free is taken with two commands and without a script. If that fails or is
// not allowed, the script follows.
#include "integration/fixture.h"
#include "support/request_monitor.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace pawl::test {
namespace {

class bare_acquire : public with_server {
protected:
    static std::uint64_t next(lockable& lock) { return lock.acquire().fence(); }

    // The first words of the requests since the last call, without releases.
    std::vector<std::string> sent()
    {
        monitor_.catch_up(probe_);
        const std::scoped_lock guard{mutex_};
        return std::exchange(sent_, {});
    }

    void note(const request& words)
    {
        const std::scoped_lock guard{mutex_};
        const bool script = words[0] == "EVALSHA" || words[0] == "EVAL";
        // Only the acquire script has a place as its last argument.
        constexpr std::size_t mode = 13;
        const bool acquires = script && words.back().size() > mode && words.back()[mode] == 'x';
        if (acquires || words[0] == "INCR") sent_.push_back(acquires ? "script" : "bare");
    }

    // Takes the lock again and again until it is taken without a script. For that, the client must have heard the
    // server's time on an existing connection.
    [[nodiscard]] bool warm_up() { return warm_up(lock_); }

    [[nodiscard]] bool warm_up(lockable& lock)
    {
        return eventually([&] {
            (void)next(lock);
            return sent().back() == "bare";
        });
    }

    using names = std::vector<std::string>;

    client client_{options()};
    mutex lock_{client_, "job", quick(10s)};
    std::mutex mutex_;
    std::vector<std::string> sent_;
    request_monitor monitor_{server_.socket_path(), [this](const request& words) { note(words); }};
};

TEST_F(bare_acquire, is_used_for_a_lock_that_was_free_before)
{
    ASSERT_TRUE(warm_up());
    std::uint64_t last = 0;
    for (int i = 0; i < 3; ++i) {
        const auto got = next(lock_);
        EXPECT_GT(got, last);
        last = got;
    }
    EXPECT_EQ(sent(), (names{"bare", "bare", "bare"}));
}

TEST_F(bare_acquire, is_not_used_after_the_lock_was_busy_until_it_was_free_again)
{
    ASSERT_TRUE(warm_up());
    probe_.must({"SET", "job", "other", "PX", "60000"});
    EXPECT_FALSE(lock_.try_acquire());
    EXPECT_EQ(sent(), (names{"bare", "script"}));
    EXPECT_FALSE(lock_.try_acquire());
    probe_.must({"DEL", "job"});
    for (int i = 0; i < 4; ++i) (void)next(lock_);
    EXPECT_EQ(sent(), (names{"script", "script", "script", "script", "bare"}));
}

TEST_F(bare_acquire, has_a_fence_that_grows_even_if_all_data_was_flushed)
{
    ASSERT_TRUE(warm_up());
    const auto before = next(lock_);
    probe_.must({"FLUSHALL"});
    EXPECT_GT(next(lock_), before);
    EXPECT_GT(probe_.ttl("pawl:fence:{job}"), 1h);
    EXPECT_EQ(sent(), (names{"bare", "bare", "script"}));
}

TEST_F(bare_acquire, has_a_fence_that_grows_even_if_the_data_is_old)
{
    ASSERT_TRUE(warm_up());
    const std::string old = probe_.must({"GET", "pawl:fence:{job}"}).text;
    for (int i = 0; i < 5; ++i) (void)next(lock_);
    const auto before = next(lock_);
    // As after a restart with old data.
    probe_.must({"SET", "pawl:fence:{job}", old, "KEEPTTL"});
    probe_.must({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    EXPECT_GT(next(lock_), before);
}

TEST_F(bare_acquire, that_finds_the_lock_taken_leaves_no_fence_without_expiry)
{
    ASSERT_TRUE(warm_up());
    probe_.must({"FLUSHALL"});
    probe_.must({"SET", "job", "other", "PX", "60000"});
    EXPECT_FALSE(lock_.try_acquire());
    EXPECT_EQ(sent(), (names{"bare", "script"}));
    EXPECT_GT(probe_.ttl("pawl:fence:{job}"), 1h);
}

TEST_F(bare_acquire, with_a_fence_key_that_is_not_a_number_takes_nothing)
{
    ASSERT_TRUE(warm_up());
    probe_.must({"DEL", "pawl:fence:{job}"});
    probe_.must({"HSET", "pawl:fence:{job}", "x", "1"});
    EXPECT_EQ(outcome_of([&] { (void)lock_.acquire(); }).code, errc::not_a_lock);
    EXPECT_TRUE(eventually([&] { return probe_.must({"EXISTS", "job"}).integer == 0; }));
}

TEST_F(bare_acquire, without_the_permission_is_replaced_by_the_script)
{
    ASSERT_TRUE(warm_up());
    probe_.must({"ACL", "SETUSER", "default", "-incr"});
    for (int i = 0; i < 3; ++i) (void)next(lock_);
    EXPECT_EQ(sent(), (names{"script", "script", "script"}))
        << "MONITOR does not show refused commands";
}

TEST_F(bare_acquire, is_not_used_for_fair_locks_or_hashes)
{
    fair_mutex fair{client_, "fair", quick(10s)};
    recursive_mutex recursive{client_, "recursive", quick(10s)};
    ASSERT_TRUE(warm_up());
    for (int i = 0; i < 3; ++i) {
        // The server's clock moves on, so that fences could be trusted.
        std::this_thread::sleep_for(2ms);
        (void)next(fair);
        (void)next(recursive);
    }
    const auto all = sent();
    EXPECT_EQ(std::ranges::count(all, "bare"), 0);
}

TEST_F(bare_acquire, that_is_executed_after_its_caller_gave_up_is_given_back)
{
    auto impatient = options();
    impatient.command_limit = 1s;
    client own{impatient};
    mutex lock{own, "late", quick(60s)};
    ASSERT_TRUE(warm_up(lock));
    server_.freeze();
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(); }).code, errc::unreachable);
    server_.thaw();
    EXPECT_EQ(sent(), (names{"bare"}));
    EXPECT_TRUE(eventually([&] { return probe_.must({"EXISTS", "late"}).integer == 0; }));
    EXPECT_TRUE(always(1s, [&] { return probe_.must({"EXISTS", "late"}).integer == 0; }));
}

}  // namespace
}  // namespace pawl::test
