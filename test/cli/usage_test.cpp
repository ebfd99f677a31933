// What pawl prints when it is called wrongly, or asked for help.
#include "command.h"

#include <algorithm>

namespace pawl::test {
namespace {

struct mistake {
    words arguments;
    std::string said;  // a part of the message
};

class wrong_usage : public testing::TestWithParam<mistake> {};

TEST_P(wrong_usage, is_reported_in_one_line_with_status_64)
{
    const result got = run_pawl(GetParam().arguments);
    EXPECT_EQ(got.end, exited(64));
    EXPECT_EQ(got.out, "");
    EXPECT_TRUE(got.err.starts_with("pawl: ")) << got.err;
    EXPECT_NE(got.err.find(GetParam().said), std::string::npos) << got.err;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
}

INSTANTIATE_TEST_SUITE_P(
    of_all_kinds, wrong_usage,
    testing::Values(
        mistake{{}, "the command is missing"}, mistake{{"walk"}, "unknown command 'walk'"},
        mistake{{"run"}, "KEY is missing"}, mistake{{"run", "--", "true"}, "KEY comes before --"},
        mistake{{"run", "--", "k", "true"}, "KEY comes before --"},
        mistake{{"run", "--"}, "KEY is missing"}, mistake{{"run", "k"}, "the command is missing"},
        mistake{{"run", "k", "--"}, "the command is missing"},
        mistake{{"run", "9"}, "pawl cannot lock a descriptor, as flock 9 does"},
        mistake{{"run", "-n", "9"}, "put the protected work into a command"},
        mistake{{"run", "-s", "-x", "k", "true"}, "--shared and --exclusive cannot be used"},
        mistake{{"run", "--also"}, "--also"},
        mistake{{"run", "-u", "k"}, "releases the lock when its command ends"},
        mistake{{"run", "--unlock", "9"}, "releases the lock when its command ends"},
        mistake{{"run", "-o", "k", "true"}, "does not inherit the lock"},
        mistake{{"run", "--close", "k", "true"}, "does not inherit the lock"},
        mistake{{"run", "-F", "k", "true"}, "keep running beside the command"},
        mistake{{"run", "-nF", "k", "true"}, "keep running beside the command"},
        mistake{{"run", "--no-fork", "k", "true"}, "keep running beside the command"},
        mistake{{"run", "--nb", "--timeout", "1", "k", "true"}, "-n and -w"},
        mistake{{"run", "k", "-c", "true", "true"}, "not both"},
        mistake{{"run", "--fast", "k", "--", "true"}, "--fast"},
        mistake{{"run", "-n", "-w", "1", "k", "--", "true"}, "-n and -w"},
        mistake{{"run", "k", "-c", "true", "--", "true"}, "not both"},
        mistake{{"run", "-E", "256", "k", "--", "true"}, "256"},
        mistake{{"run", "-E", "x", "k", "--", "true"}, "x"},
        mistake{{"run", "--url", "http://host", "k", "--", "true"}, "http"},
        mistake{{"run", "--url", "memory:", "k", "--", "true"}, "would exclude nothing"},
        mistake{{"run", "--url", "memory:name", "k", "--", "true"}, "use local:"},
        mistake{{"run", "--url", "redis://h", "--lease", "25h", "k", "--", "true"}, "lease"},
        mistake{{"run", "--url", "redis://h", "", "--", "true"}, "name"},
        mistake{{"run", "--permits", "2", "k", "true"}, "--permits needs --capacity"},
        mistake{{"run", "--capacity", "2", "--permits", "3", "k", "true"},
                "--permits 3 is more than --capacity 2"},
        mistake{{"run", "--capacity", "0", "k", "true"}, "--capacity"},
        mistake{{"run", "--capacity", "1000001", "k", "true"}, "1000001"},
        mistake{{"run", "--capacity", "-1", "k", "true"}, "--capacity"},
        mistake{{"run", "--grace", "20s", "k", "--", "true"}, "--grace of 20 s"},
        mistake{{"run", "--lease", "1s", "--grace", "550ms", "k", "--", "true"}, "--lease of 1 s"},
        mistake{{"bench", "now"}, "now"}, mistake{{"bench", "--url", "http://host"}, "http"},
        mistake{{"bench", "--url", "memory:"}, "there is no server to measure"},
        mistake{{"bench", "--seconds", "0"}, "--seconds of 0 ms: allowed are 0.01 to 600"},
        mistake{{"bench", "--seconds", "601"}, "--seconds of 601 s: allowed are 0.01 to 600"},
        mistake{{"bench", "--seconds", "soon"}, "'soon' is not a duration"},
        mistake{{"bench", "--threads", "0"}, "--threads"},
        mistake{{"bench", "--threads", "1025"}, "1025"},
        mistake{{"bench", "--threads", "few"}, "few"},
        mistake{{"bench", "--only", ""}, "'' is not a part"},
        mistake{{"bench", "--only", "ping,"}, "'' is not a part"},
        mistake{{"bench", "--only", "ping,pong"}, "'pong' is not a part; the parts are ping, lock"},
        mistake{{"bench", "--name", ""}, "--name of 0 bytes: allowed are 1 to 400"},
        mistake{{"bench", "--name", std::string(401, 'x')}, "--name of 401 bytes"},
        mistake{{"bench", "--json", "--histogram"}, "--json and --histogram"},
        mistake{{"local"}, "subcommand"}, mistake{{"local", "start"}, "subcommand"}));

TEST(wrong_environment, memory_is_refused_from_the_environment_too)
{
    const result got = run_pawl({"run", "k", "--", "true"}, {"PAWL_URL=memory:"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_NE(got.err.find("would exclude nothing"), std::string::npos) << got.err;
}

class bad_duration : public testing::TestWithParam<std::string> {};

TEST_P(bad_duration, is_refused_with_its_name_and_the_allowed_values)
{
    const std::string& text = GetParam();
    const result got = run_pawl({"run", "-w", text, "k", "--", "true"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_NE(got.err.find("-w,--wait: '" + text + "' is not a duration"), std::string::npos)
        << got.err;
    EXPECT_NE(got.err.find("500ms, 30s, 1.5m"), std::string::npos) << got.err;
}

INSTANTIATE_TEST_SUITE_P(of_all_kinds, bad_duration,
                         testing::Values("", "x", "s", "1x", "1 s", " 1", "1d", "+1", "inf", "nan",
                                         "1e3", "0x10", ".", "1.2.3", "9000h", "1S", "1mss"));

struct duration {
    std::string text;
    std::string means;
};

class good_duration : public testing::TestWithParam<duration> {};

// The duration is visible in the message about a grace period that is too long for a lease.
TEST_P(good_duration, is_understood)
{
    const result got =
        run_pawl({"run", "--lease", GetParam().text, "--grace", "100h", "k", "--", "true"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_NE(got.err.find("into a --lease of " + GetParam().means + ":"), std::string::npos)
        << got.err;
}

INSTANTIATE_TEST_SUITE_P(of_all_kinds, good_duration,
                         testing::Values(duration{"500ms", "500 ms"}, duration{"30s", "30 s"},
                                         duration{"30", "30 s"}, duration{"0.25", "250 ms"},
                                         duration{".5s", "500 ms"}, duration{"5m", "300 s"},
                                         duration{"1.5m", "90 s"}, duration{"0.1h", "360 s"},
                                         duration{"1h", "3600 s"}, duration{"0.5ms", "1 ms"}));

TEST(help, is_printed_to_stdout)
{
    for (const words& arguments : {words{"--help"}, words{"run", "--help"}, words{"run", "-h"},
                                   words{"bench", "--help"}, words{"local", "--help"}}) {
        const result got = run_pawl(arguments);
        EXPECT_EQ(got.end, exited(0));
        EXPECT_NE(got.out.find("Usage: pawl"), std::string::npos) << got.out;
        EXPECT_EQ(got.err, "");
    }
}

TEST(help, describes_every_option_and_exit_status)
{
    const std::string help = run_pawl({"run", "--help"}).out;
    for (const char* part : {"-n,",       "-w,",        "-E,",
                             "-c,",       "--lease",    "--url",
                             "--grace",   "--on-lost",  "--hold-at-least",
                             "--verbose", "--help",     "--version",
                             "64",        "65",         "69",
                             "70",        "75",         "77",
                             "79",        "126",        "127",
                             "128+n",     "PAWL_FENCE", "--capacity",
                             "--permits"}) {
        EXPECT_NE(help.find(part), std::string::npos) << part;
    }
}

TEST(help, of_bench_describes_every_option_and_part)
{
    const std::string help = run_pawl({"bench", "--help"}).out;
    for (const char* part :
         {"--url", "--seconds", "--threads", "--only", "--name", "--json", "--histogram", "ping ",
          "lock ", "hand-off ", "threads ", "linger ", "64", "69", "70", "77", "79", "128+n"}) {
        EXPECT_NE(help.find(part), std::string::npos) << part;
    }
}

TEST(help, shows_the_version)
{
    EXPECT_TRUE(run_pawl({"--version"}).out.starts_with("pawl "));
    EXPECT_EQ(run_pawl({"run", "--version"}).out, run_pawl({"--version"}).out);
}

class password : public command_test {};

// Mistakes of a user who forgot --url, or put it in the wrong place.
class forgotten_url : public testing::TestWithParam<words> {};

TEST_P(forgotten_url, does_not_show_the_password)
{
    const result got = run_pawl(GetParam());
    EXPECT_EQ(got.end, exited(64));
    EXPECT_EQ((got.out + got.err).find("hush"), std::string::npos) << got.err;
    EXPECT_NE(got.err.find("redis://user:xxx@"), std::string::npos) << got.err;
}

const std::string secret = "redis://user:hush@hush hush@host";

INSTANTIATE_TEST_SUITE_P(
    of_all_kinds, forgotten_url,
    testing::Values(words{"run", "k", secret}, words{"run", "k", secret, "--", "true"},
                    words{"run", "k", "--", secret, "true"}, words{"run", secret, "--", "true"},
                    words{"run", secret, "k", "--", "true"}, words{"run", secret},
                    words{"run", "--lease", secret, "k", "true"},
                    words{"run", "-E", secret, "k", "true"}, words{secret}, words{secret, "run"},
                    words{"bench", secret}, words{"bench", "--threads", secret},
                    words{"bench", "--only", secret},
                    words{"run", "--ulr=" + secret, "k", "true"}));

TEST(forgotten_url, is_recognised)
{
    for (const std::string url : {"rediss://host", "redis+sentinel://host/s",
                                  "rediss+cluster://host", "redlock:redis://a,redis://b"}) {
        for (const words& line :
             {words{"run", "k", url, "true"}, words{"run", url, "--", "true"}}) {
            const result got = run_pawl(line);
            EXPECT_EQ(got.end, exited(64));
            EXPECT_NE(got.err.find("'" + url + "' is a server: write --url before it"),
                      std::string::npos)
                << got.err;
        }
    }
}

TEST(forgotten_url, is_not_a_key_that_begins_as_the_scheme_of_a_quorum)
{
    const result got = run_pawl({"run", "--url", "unix:/nonexistent", "redlock:orders", "true"});
    EXPECT_EQ(got.end, exited(69)) << got.err;
}

TEST_F(password, is_not_shown_when_the_command_cannot_be_run)
{
    const result got = run({"k", "--", "/nonexistent/redis://:hush@host"});
    EXPECT_EQ(got.end, exited(127));
    EXPECT_NE(got.err.find("redis://:xxx@host"), std::string::npos) << got.err;
}

TEST_F(password, of_a_mistyped_url_is_not_shown_when_the_command_cannot_be_run)
{
    for (const char* url : {"redis:hush@h", ":hush@h", "redis:/user:hush@h", "rediss:hush@hush@h",
                            "redis:hush@h redis:hush@h"}) {
        const result got = run({"k", "--", url});
        EXPECT_EQ(got.end, exited(127));
        EXPECT_NE(got.err.find(":xxx@h'"), std::string::npos) << got.err;
        EXPECT_EQ(got.err.find("hush"), std::string::npos) << got.err;
    }
}

TEST_F(password, is_not_assumed_in_the_path_of_a_socket_or_the_name_of_a_lock)
{
    for (const std::string word : {"unix:/run/redis@main.sock", "mail:someone@example.com"}) {
        const result got = run({"k", "--", word});
        EXPECT_NE(got.err.find("'" + word + "'"), std::string::npos) << got.err;
    }
}

TEST_F(password, on_the_command_line_is_hidden_from_other_users)
{
    probe_.must({"CONFIG", "SET", "requirepass", "hush-hush"});
    const std::string url = "redis://:hush-hush@127.0.0.1:" + std::to_string(server_.port());
    process running = pawl({"run", "--verbose", "--url", url, "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const std::string shown =
        read_file("/proc/" + std::to_string(running.pid()) + "/cmdline") + running.err();
    EXPECT_NE(shown.find("redis://:"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("hush"), std::string::npos) << shown;
}

}  // namespace
}  // namespace pawl::test
