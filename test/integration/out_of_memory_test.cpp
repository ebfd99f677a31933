// A server that may not take any more memory (maxmemory, noeviction).
#include "integration/fixture.h"

#include <mutex>

namespace pawl::test {
namespace {

class out_of_memory : public with_server, public testing::WithParamInterface<layout> {
protected:
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

TEST_P(out_of_memory, lets_holders_renew_extend_and_ask)
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

INSTANTIATE_TEST_SUITE_P(in, out_of_memory, testing::Values(layout::plain, layout::hash),
                         [](const auto& the) {
                             return the.param == layout::plain ? "plain" : "hash";
                         });

}  // namespace
}  // namespace pawl::test
