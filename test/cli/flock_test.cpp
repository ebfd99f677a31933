// Command lines of flock(1), with a key instead of a file.
#include "command.h"

namespace pawl::test {
namespace {

class flock_line : public command_test {};

TEST_F(flock_line, needs_no_dashes_before_the_command)
{
    const result got = run({"k", "echo", "-n", "-w", "--", "hi"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "-w -- hi");
}

TEST_F(flock_line, may_have_options_on_both_sides_of_the_key)
{
    const result got = run({"-w", "5", "k", "-x", "--lease=20s", "echo", "--lease"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "--lease\n");
}

TEST_F(flock_line, may_have_its_short_options_in_one_word)
{
    const result got = run({"-xnE", "3", "k", "echo", "hi"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "hi\n");
    EXPECT_EQ(run({"-xw5", "k", "echo", "hi"}).out, "hi\n");
}

TEST_F(flock_line, may_have_the_command_as_a_string)
{
    EXPECT_EQ(run({"k", "--command", "echo $PAWL_KEY"}).out, "k\n");
    EXPECT_EQ(run({"k", "-c", "echo $PAWL_KEY"}).out, "k\n");
    EXPECT_EQ(run({"-c", "echo $PAWL_KEY", "k"}).out, "k\n");
}

TEST_F(flock_line, may_name_a_key_that_is_a_number)
{
    EXPECT_EQ(run({"9", "printenv", "PAWL_KEY"}).out, "9\n");
}

// Each way to say "do not wait", or "wait only for a short time".
class impatient_line : public flock_line, public testing::WithParamInterface<words> {};

TEST_P(impatient_line, ends_with_the_status_that_was_requested)
{
    process holder = start({"k", "-c", "echo up; read line"});
    EXPECT_EQ(holder.line_after("up"), "");
    words line = GetParam();
    line.insert(line.end(), {"k", "echo", "held"});
    const result got = run(line);
    EXPECT_EQ(got.end, exited(3)) << got.err;
    EXPECT_EQ(got.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    of_all_kinds, impatient_line,
    testing::Values(words{"-n", "-E", "3"}, words{"--nb", "--conflict-exit-code", "3"},
                    words{"--nonblock", "--conflict-exit-code=3"}, words{"-x", "-n", "-E3"},
                    words{"-e", "-n", "-E3"}, words{"--exclusive", "-n", "-E3"},
                    words{"-w", "0.1", "-E", "3"}, words{"--wait", "0.1", "-E", "3"},
                    words{"--timeout", "0.1", "-E", "3"}, words{"--timeout=0.1", "-E", "3"}));

}  // namespace
}  // namespace pawl::test
