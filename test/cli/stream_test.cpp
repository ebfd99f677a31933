// What `pawl run` passes through unchanged: the standard streams and the command's arguments.
#include "command.h"

namespace pawl::test {
namespace {

class run_streams : public command_test {
protected:
    [[nodiscard]] std::string under_pawl() const
    {
        return std::string{PAWL_COMMAND} + " run --verbose --url " + server_.unix_url() + " k -- ";
    }

    // The descriptors that are open in a command with these redirections. `wrapper`, if not empty,
    // starts the command.
    [[nodiscard]] static std::string descriptors(const std::string& wrapper,
                                                 const std::string& redirections)
    {
        const temp_dir files;
        process running{{"sh", "-c",
                         wrapper + "sh -c 'ls /proc/$$/fd > " + files.file("list") + "; exit 7' " +
                             redirections}};
        EXPECT_EQ(running.wait(patience), exited(7)) << wrapper << redirections << running.err();
        return read_file(files.file("list"));
    }
};

TEST_F(run_streams, pass_through)
{
    process running = start({"k", "--", "sh", "-c", "cat; echo problem >&2"});
    running.write("some input\n");
    const result got = finish(std::move(running));
    EXPECT_EQ(got.end, exited(0));
    EXPECT_EQ(got.out, "some input\n");
    EXPECT_EQ(got.err, "problem\n");
}

TEST_F(run_streams, end_when_the_command_ends)
{
    // `cat` reads until no process has the pipe open, not even the guardian.
    process running{{"sh", "-c",
                     std::string{PAWL_COMMAND} + " run --url " + server_.unix_url() +
                         " --hold-at-least 0 k -- echo line | cat"}};
    EXPECT_EQ(running.wait(patience), exited(0));
    EXPECT_EQ(running.out(), "line\n");
}

TEST_F(run_streams, may_be_closed)
{
    for (const std::string closed : {"<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"}) {
        EXPECT_EQ(descriptors(under_pawl(), closed), descriptors("", closed)) << closed;
    }
}

TEST_F(run_streams, other_descriptors_pass_through_and_none_is_added)
{
    EXPECT_EQ(descriptors(under_pawl(), "7>/dev/null"), descriptors("", "7>/dev/null"));
}

TEST_F(run_streams, the_options_of_the_command_are_not_parsed)
{
    const result got = run({"k", "--", "printf", "%s|", "-n", "--help", "--", "", "-w", "[]"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_EQ(got.out, "-n|--help|--||-w|[]|");
}

}  // namespace
}  // namespace pawl::test
