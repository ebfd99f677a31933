// A server that has reached its memory limit (maxmemory, noeviction).
#include "integration/fixture.h"

#include <mutex>

namespace pawl::test {
namespace {

class out_of_memory : public with_server, public testing::WithParamInterface<layout> {
protected:
    explicit out_of_memory(server_options options = {}) : with_server{std::move(options)} {}

    void fill() { probe_.must({"CONFIG", "SET", "maxmemory", "1"}); }
    void mend() { probe_.must({"CONFIG", "SET", "maxmemory", "0"}); }

    client client_{options()};
};

TEST_P(out_of_memory, refuses_to_acquire_and_names_the_memory)
{
    mutex lock{client_, "job", quick(10s, GetParam())};
    fill();
    const outcome told = outcome_of([&] { (void)lock.try_acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "memory"));
    EXPECT_TRUE(says(told.message, "job"));
    EXPECT_FALSE(probe_.exists("job"));
    mend();
    EXPECT_TRUE(lock.try_acquire());
}

TEST_P(out_of_memory, lets_holders_release)
{
    mutex lock{client_, "job", quick(10s, GetParam())};
    hold held = lock.acquire();
    fill();
    EXPECT_EQ(outcome_of([&] { held.release(); }).code, std::error_code{});
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(out_of_memory, lets_holders_renew_extend_and_confirm)
{
    mutex lock{client_, "job", quick(2400ms, GetParam())};
    hold held = lock.acquire();
    fill();
    EXPECT_TRUE(always(2s, [&] { return held.state() == hold_state::held; }));
    EXPECT_TRUE(held.confirm());
    held.extend(20s);
    EXPECT_GT(probe_.ttl("job"), 15s);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
}

TEST_P(out_of_memory, lets_a_recursive_owner_unlock_step_by_step)
{
    recursive_mutex lock{client_, "job", quick(10s, GetParam())};
    lock.lock();
    lock.lock();
    const std::string id = lock.current()->id();
    fill();
    std::error_code told;
    lock.unlock(told);
    EXPECT_FALSE(told) << told.message();
    EXPECT_TRUE(probe_.exists("job"));
    if (GetParam() == layout::hash) {
        EXPECT_EQ(hash_count("job", id), 1);
    }
    lock.unlock(told);
    EXPECT_FALSE(told) << told.message();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(out_of_memory, lets_a_recursive_owner_lock_again)
{
    recursive_mutex lock{client_, "job", quick(10s, GetParam())};
    lock.lock();
    fill();
    EXPECT_EQ(outcome_of([&] { lock.lock(); }).message, "");
    if (GetParam() == layout::hash) {
        EXPECT_EQ(hash_count("job", lock.current()->id()), 2);
    }
    lock.unlock();
    lock.unlock();
    EXPECT_FALSE(probe_.exists("job"));
}

// A server that does not know HELLO counts as older than 7.0, and gets scripts without flags. Such
// a script fails at its first command that needs memory, unless it has written before.
class out_of_memory_before_7 : public out_of_memory {
protected:
    out_of_memory_before_7() : out_of_memory{{.config = {"rename-command HELLO \"\""}}} {}
};

TEST_P(out_of_memory_before_7, lets_holders_lock_again_renew_and_release)
{
    recursive_mutex lock{client_, "job", quick(10s, GetParam())};
    lock.lock();
    fill();
    EXPECT_EQ(outcome_of([&] { lock.lock(); }).message, "");
    EXPECT_EQ(outcome_of([&] { lock.current()->extend(20s); }).message, "");
    EXPECT_EQ(outcome_of([&] { lock.lock(); }).message, "") << "with more time left than a lease";
    EXPECT_GT(probe_.ttl("job"), 15s) << "the remaining time is not shortened";
    if (GetParam() == layout::hash) {
        EXPECT_EQ(hash_count("job", lock.current()->id()), 3);
    }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome_of([&] { lock.unlock(); }).message, "");
    EXPECT_FALSE(probe_.exists("job"));
}

const auto both_layouts = testing::Values(layout::plain, layout::hash);
const auto name_of_layout = [](const auto& the) {
    return the.param == layout::plain ? "plain" : "hash";
};
INSTANTIATE_TEST_SUITE_P(in, out_of_memory, both_layouts, name_of_layout);
INSTANTIATE_TEST_SUITE_P(in, out_of_memory_before_7, both_layouts, name_of_layout);

}  // namespace
}  // namespace pawl::test
