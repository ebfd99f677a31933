// What passes through `pawl run` untouched: the standard streams and the command's own words.
#include "command.h"

namespace pawl::test {
namespace {

using run_streams = command_test;

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
    // `cat` reads until nobody has the pipe open any more, the guardian included.
    process running{{"sh", "-c",
                     std::string{PAWL_COMMAND} + " run --url " + server_.unix_url() +
                         " --hold-at-least 0 k -- echo line | cat"}};
    EXPECT_EQ(running.wait(patience), exited(0));
    EXPECT_EQ(running.out(), "line\n");
}

TEST_F(run_streams, may_be_closed)
{
    process running{{"sh", "-c",
                     std::string{PAWL_COMMAND} + " run --verbose --url " + server_.unix_url() +
                         " k -- sh -c 'exit 7' <&- >&- 2>&-"}};
    EXPECT_EQ(running.wait(patience), exited(7));
}

TEST_F(run_streams, other_descriptors_pass_through_too_and_none_is_added)
{
    const temp_dir files;
    const auto list = [&](const std::string& wrapper) {
        process running{{"sh", "-c",
                         "exec 7>" + files.file("seven") + "; exec " + wrapper +
                             " sh -c 'echo line >&7; ls /proc/self/fd'"}};
        EXPECT_EQ(running.wait(patience), exited(0)) << running.err();
        return running.out();
    };
    const std::string alone = list("");
    const std::string under_pawl =
        list(std::string{PAWL_COMMAND} + " run --url " + server_.unix_url() + " k -- ");
    EXPECT_EQ(under_pawl, alone);
    EXPECT_EQ(read_file(files.file("seven")), "line\n");
}

TEST_F(run_streams, the_commands_options_are_its_own)
{
    const result got = run({"k", "--", "printf", "%s|", "-n", "--help", "--", "", "-w", "[]"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_EQ(got.out, "-n|--help|--||-w|[]|");
}

}  // namespace
}  // namespace pawl::test
