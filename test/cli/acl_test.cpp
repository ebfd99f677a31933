// The ACL rules that operators paste from the documents, as they stand there.
#include "command.h"
#include "support/acl_rule.h"

#include <gmock/gmock.h>

namespace pawl::test {
namespace {

using testing::ElementsAreArray;

class pasted_rule : public command_test {
protected:
    void paste()
    {
        process redis_cli{{"redis-cli", "-p", std::to_string(server_.port())}};
        redis_cli.write(line_to_paste("wire.md") + "\n");
        redis_cli.close_stdin();
        EXPECT_EQ(redis_cli.wait(patience), exited(0)) << redis_cli.err();
        EXPECT_EQ(redis_cli.out(), "OK\n");
    }

    process start_as_keeper(const words& arguments) const
    {
        words all{"run", "--url",
                  "redis://keeper:password@127.0.0.1:" + std::to_string(server_.port())};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return pawl(all);
    }
};

TEST_F(pasted_rule, is_enough_to_hold_a_lock_and_to_wait_for_it)
{
    paste();
    process holder = start_as_keeper({"stock:1", "-c", "echo up; read line || true"});
    EXPECT_EQ(holder.line_after("up"), "");
    process waiter = start_as_keeper({"stock:1", "echo", "mine"});
    EXPECT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{stock:1}"); }));
    EXPECT_EQ(finish(std::move(holder)).end, exited(0));
    const result got = finish(std::move(waiter));
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "mine\n");
    EXPECT_TRUE(probe_.must({"ACL", "LOG"}).items.empty());
}

TEST_F(pasted_rule, gives_no_right_to_other_locks)
{
    paste();
    EXPECT_EQ(finish(start_as_keeper({"other:1", "true"})).end, exited(77));
}

TEST(rule_to_paste, says_what_the_explained_rule_says)
{
    EXPECT_THAT(rule_in_line(line_to_paste("wire.md")), ElementsAreArray(smallest_rule()));
    EXPECT_THAT(rule_in_line(line_to_paste("topologies/cluster.md")),
                ElementsAreArray(smallest_cluster_rule()));
    EXPECT_THAT(rule_in_line(line_to_paste("topologies/quorum.md")),
                ElementsAreArray(smallest_quorum_rule()));
}

}  // namespace
}  // namespace pawl::test
