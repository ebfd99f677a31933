// pawl::once_per on a server that has reached its memory limit (maxmemory, noeviction).
#include "integration/fixture.h"

namespace pawl::test {
namespace {

// A server that does not know HELLO counts as older than 7.0, and gets scripts without flags. Such
// a script fails at its first command that needs memory, unless it has written before.
enum class version { any, before_7 };

class once_on_full_server : public with_server, public testing::WithParamInterface<version> {
protected:
    once_on_full_server() : with_server{settings()} {}

    [[nodiscard]] static server_options settings()
    {
        if (GetParam() == version::any) return {};
        return {.config = {"rename-command HELLO \"\""}};
    }

    // A run that succeeds, although memory is full when it ends.
    void run(once_per& job)
    {
        auto turn = job.try_begin();
        ASSERT_TRUE(turn);
        probe_.must({"CONFIG", "SET", "maxmemory", "1"});
        EXPECT_EQ(outcome_of([&] { turn->done(); }).message, "");
        EXPECT_FALSE(probe_.exists("job"));
        probe_.must({"CONFIG", "SET", "maxmemory", "0"});
    }

    client client_{options()};
};

TEST_P(once_on_full_server, a_run_ends_and_uses_up_its_period)
{
    for (const bool retries : {false, true}) {
        probe_.must({"FLUSHALL"});
        once_per job{client_, "job", 1h, {.retry_failed = retries}, quick(10s)};
        ASSERT_NO_FATAL_FAILURE(run(job));
        EXPECT_FALSE(job.try_begin()) << "it has run in this period";
        EXPECT_GT(job.due_in(), 59min);
    }
}

TEST_P(once_on_full_server, a_failed_run_that_is_retried_leaves_the_period_unused)
{
    once_per job{client_, "job", 1h, {.retry_failed = true}, quick(10s)};
    {
        const auto turn = job.try_begin();
        ASSERT_TRUE(turn);
        probe_.must({"CONFIG", "SET", "maxmemory", "1"});
    }
    EXPECT_TRUE(eventually([&] { return job.due_in() == 0ms; }));
    EXPECT_FALSE(probe_.exists("job"));
    probe_.must({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_TRUE(job.try_begin());
}

INSTANTIATE_TEST_SUITE_P(of, once_on_full_server, testing::Values(version::any, version::before_7),
                         [](const auto& the) {
                             return the.param == version::any ? "any_version" : "before_7";
                         });

}  // namespace
}  // namespace pawl::test
