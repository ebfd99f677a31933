// Settings files: their contents, their permissions, and the order of precedence.
#include "settings.h"

#include "command.h"

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace pawl::test {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class settings_files : public command_test {
protected:
    fs::path write(const std::string& name, const std::string& text, mode_t mode = 0600)
    {
        const fs::path file = dir_.path() / name;
        fs::create_directories(file.parent_path());
        std::ofstream{file} << text;
        EXPECT_EQ(::chmod(file.c_str(), mode), 0);
        return file;
    }

    std::string mistake_in(const std::string& text, mode_t mode = 0600)
    {
        const fs::path file = write("wrong.conf", text, mode);
        try {
            static_cast<void>(cli::read_settings({file}));
        } catch (const cli::settings_error& mistake) {
            return mistake.what();
        }
        return "none";
    }

    // `pawl run k printenv PAWL_KEY` in this environment. If a fence exists on server_ afterwards,
    // the lock was taken there.
    result run_in(const words& environment, const words& options = {})
    {
        words line{"run"};
        line.insert(line.end(), options.begin(), options.end());
        line.insert(line.end(), {"k", "printenv", "PAWL_KEY"});
        words all{"PAWL_LOCAL_DIR=" + dir() + "/local"};
        all.insert(all.end(), environment.begin(), environment.end());
        return run_pawl(line, all);
    }

    bool server_was_used() { return !probe_.keys("pawl:fence:*").empty(); }

    [[nodiscard]] std::string dir() const { return dir_.path().string(); }

    temp_dir dir_;
};

TEST_F(settings_files, name_the_server)
{
    const fs::path file =
        write("pawl.conf", "# ours\n\n  url =  " + server_.unix_url() + " \t\r\n");
    const result got = run_in({"PAWL_CONFIG=" + file.string()});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.err, "");
    EXPECT_TRUE(server_was_used());
}

TEST_F(settings_files, of_the_user_are_found_where_xdg_says)
{
    write("config/pawl.conf", "url = " + server_.unix_url() + "\n");
    const result got = run_in({"PAWL_CONFIG=", "XDG_CONFIG_HOME=" + dir() + "/config"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_TRUE(server_was_used());
}

TEST_F(settings_files, of_the_user_are_found_at_home)
{
    write(".config/pawl.conf", "url = " + server_.unix_url() + "\n");
    for (const char* xdg : {"XDG_CONFIG_HOME=", "XDG_CONFIG_HOME=relative"}) {
        probe_.must({"FLUSHALL"});
        const result got = run_in({"PAWL_CONFIG=", "HOME=" + dir(), xdg});
        EXPECT_EQ(got.end, exited(0)) << got.err;
        EXPECT_TRUE(server_was_used());
    }
}

TEST_F(settings_files, yield_to_the_environment_which_yields_to_an_option)
{
    const std::string nowhere = "unix:/nonexistent/redis.sock";
    const std::string wrong_file =
        "PAWL_CONFIG=" + write("wrong.conf", "url = " + nowhere).string();
    EXPECT_EQ(run_in({wrong_file}).end, exited(69));
    EXPECT_EQ(run_in({wrong_file, "PAWL_URL=" + server_.unix_url()}).end, exited(0));
    EXPECT_EQ(run_in({wrong_file, "PAWL_URL=" + nowhere}, {"--url", server_.unix_url()}).end,
              exited(0));
}

TEST_F(settings_files, of_the_user_take_precedence_over_that_of_the_system)
{
    const fs::path users = write("user.conf", "url = redis://user\n");
    const fs::path systems = write("system.conf", "url = redis://system\nrequire_remote = yes\n");
    const cli::settings both = cli::read_settings({users, systems});
    EXPECT_EQ(both.url->value, "redis://user");
    EXPECT_EQ(both.url->source, users.string() + ", line 1");
    EXPECT_TRUE(both.require_remote->value);
    EXPECT_EQ(both.require_remote->source, systems.string() + ", line 2");
}

TEST_F(settings_files, that_do_not_exist_are_ignored)
{
    const cli::settings none =
        cli::read_settings({dir_.path() / "none", fs::path{"/dev/null/none"}});
    EXPECT_FALSE(none.url || none.require_remote);
}

// A password goes only to the server of the same file.
TEST_F(settings_files, give_a_password_to_their_own_url_only)
{
    const fs::path secret = write("secret file", "hush\n");
    const fs::path users = write("user.conf", "url = redis://user?db=1\n");
    const fs::path systems =
        write("system.conf", "password_file = " + secret.string() + "\nurl = redis://system\n");
    EXPECT_EQ(cli::read_settings({users, systems}).url->value, "redis://user?db=1");
    EXPECT_EQ(cli::read_settings({systems}).url->value,
              "redis://system?password_file=" + dir() + "/secret%20file");
    EXPECT_THAT(mistake_in("\npassword_file = /secret\n"),
                HasSubstr("wrong.conf, line 2: password_file needs a url in the same file"));
}

TEST_F(settings_files, may_name_every_kind_of_server)
{
    for (const std::string url :
         {"redis://a", "rediss://a:7000/1", "unix:/a.sock", "local:", "local:?db=3",
          "redis+sentinel://a,b/main", "rediss+sentinel://a/main", "redis+cluster://a,b:7000",
          "rediss+cluster://a", "redlock:redis://a,rediss://b,unix:/c.sock"}) {
        const std::string text = "url = " + url + "\n";
        EXPECT_EQ(mistake_in(text), "none");
        EXPECT_EQ(cli::read_settings({write("any.conf", text)}).url->value, url);
    }
}

TEST_F(settings_files, give_a_password_to_each_node_of_a_quorum)
{
    const fs::path file = write("quorum.conf",
                                "url = redlock:rediss://ann@a,rediss://b?db=1,rediss://c\n"
                                "password_file = /secret,redis://file\nca_file = /ca.pem\n");
    const std::string files = "password_file=/secret%2Credis%3A//file&ca_file=/ca.pem";
    EXPECT_EQ(
        cli::read_settings({file}).url->value,
        "redlock:rediss://ann@a?" + files + ",rediss://b?db=1&" + files + ",rediss://c?" + files);
}

TEST_F(settings_files, give_a_password_that_works)
{
    probe_.must({"CONFIG", "SET", "requirepass", "hush & hush"});
    const fs::path secret = write("secret & file", "hush & hush\n");
    const fs::path file = write(
        "pawl.conf", "url = " + server_.unix_url() + "\npassword_file = " + secret.string() + "\n");
    const result got = run_in({"PAWL_CONFIG=" + file.string()});
    EXPECT_EQ(got.end, exited(0)) << got.err;
}

TEST_F(settings_files, with_a_password_are_refused_if_others_can_read_them)
{
    const std::string text = "url = redis://:hush@host\n";
    for (const mode_t mode : {0640U, 0604U, 0644U}) {
        const std::string said = mistake_in(text, mode);
        EXPECT_THAT(said,
                    HasSubstr("wrong.conf, line 1: the url contains a password, and other users"));
        EXPECT_THAT(said, HasSubstr("chmod 600 "));
        EXPECT_THAT(said, HasSubstr("password_file"));
        EXPECT_THAT(said, Not(HasSubstr("hush")));
    }
    EXPECT_EQ(mistake_in(text, 0600), "none");
    EXPECT_EQ(mistake_in("url = redis://user@host\npassword_file = /secret\n", 0644), "none");
}

TEST_F(settings_files, with_a_password_of_one_node_are_refused_if_others_can_read_them)
{
    const std::string said =
        mistake_in("url = redlock:redis://a,redis://b,redis://ann:hush@c\n", 0644);
    EXPECT_THAT(said, HasSubstr("the url contains a password, and other users"));
    EXPECT_THAT(said, Not(HasSubstr("hush")));
    // Neither a port nor a user is a password.
    EXPECT_EQ(mistake_in("url = redlock:redis://a:1,redis://b:2,redis://ann@c:3\n", 0644), "none");
}

TEST_F(settings_files, with_a_mistake_are_refused_by_the_command)
{
    const fs::path file = write("pawl.conf", "url = redis://:hush@host\n", 0644);
    const result got = run_in({"PAWL_CONFIG=" + file.string()});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_THAT(got.err, HasSubstr(file.string() + ", line 1: "));
    EXPECT_THAT(got.err, Not(HasSubstr("hush")));
}

TEST_F(settings_files, report_mistakes_with_file_line_and_allowed_values)
{
    EXPECT_THAT(mistake_in("# x\ncolour = red\n"),
                HasSubstr("wrong.conf, line 2: unknown key 'colour' (allowed: url, "));
    EXPECT_THAT(mistake_in("require_remote = maybe"),
                HasSubstr("line 1: require_remote is 'maybe' (allowed: yes, no)"));
    EXPECT_THAT(mistake_in("url = http://host"),
                HasSubstr("line 1: url begins with 'http:' (allowed: redis://"));
    EXPECT_THAT(mistake_in("url = host"), HasSubstr("line 1: url is not a URL (allowed: redis://"));
    EXPECT_THAT(mistake_in("url = memory:"), HasSubstr("(allowed: redis://"));
    EXPECT_THAT(mistake_in("url = redis://h\nca_file = ca.pem"),
                HasSubstr("line 2: ca_file is not an absolute path"));
    EXPECT_THAT(mistake_in("url redis://h"), HasSubstr("line 1: this line is not KEY = VALUE"));
    EXPECT_THAT(mistake_in("url = redis://a\nurl = redis://b"),
                HasSubstr("line 2: url is already in line 1"));
    EXPECT_THAT(mistake_in(std::string(70'000, '#')), HasSubstr("this is not a settings file"));
}

TEST_F(settings_files, show_no_password_in_a_mistake)
{
    for (const char* line :
         {"password hush", "requirepass hush", "hush", "requirepass hush=hush", "hush:x=1",
          "url redis://user:hush@h", "redis://user:hush@h?db=1", "url = :hush@host",
          "url = redis:/user:hush@host", "url = redis:hush@host", "url = http://user:hush@host",
          "url = hush@host:1", "url = hush", "url = redis://h\npassword_file = hush"}) {
        const std::string said = mistake_in(line);
        EXPECT_THAT(said, HasSubstr("wrong.conf, line "));
        EXPECT_THAT(said, Not(HasSubstr("hush")));
    }
}

// HOME belongs to another user: after sudo -E, or in a unit with ProtectHome=yes.
TEST_F(settings_files, in_a_directory_that_may_not_be_searched_are_ignored)
{
    const fs::path hidden = write("home/.config/pawl.conf", "url = redis://h\n");
    const fs::path closed = write("closed.conf", "url = redis://h\n", 0);
    ASSERT_EQ(::chmod((dir() + "/home").c_str(), 0), 0);
    ASSERT_EQ(::chmod(dir().c_str(), 0755), 0);
    process reading = process::forked([&] {
        constexpr uid_t other_user = 65534;  // root may read everything
        if (::geteuid() == 0 && ::setuid(other_user) != 0) return 98;
        if (cli::read_settings({hidden}).url) return 1;
        try {
            static_cast<void>(cli::read_settings({closed}));
            return 2;
        } catch (const cli::settings_error&) {
            return 0;
        }
    });
    EXPECT_EQ(reading.wait(patience), exited(0)) << reading.err();
    ASSERT_EQ(::chmod((dir() + "/home").c_str(), 0700), 0);
}

TEST_F(settings_files, after_one_that_names_a_server_are_not_read)
{
    const fs::path users = write("user.conf", "url = redis://user\n");
    const fs::path local = write("local.conf", "url = local:\n");
    const fs::path unreadable = dir_.path();
    const auto read = [](const std::vector<cli::settings_file>& files, cli::look_for wanted) {
        return cli::read_settings(files, wanted);
    };
    EXPECT_EQ(read({users, unreadable}, cli::look_for::server).url->value, "redis://user");
    EXPECT_THROW(static_cast<void>(read({local, unreadable}, cli::look_for::server)),
                 cli::settings_error);
    EXPECT_THROW(static_cast<void>(read({users, unreadable}, cli::look_for::everything)),
                 cli::settings_error);
}

// PAWL_CONFIG=<(decrypt FILE) in a shell.
TEST_F(settings_files, may_be_a_pipe_from_another_program)
{
    process running{{"bash", "-c",
                     "exec 9<&0; PAWL_CONFIG=<(read line <&9; echo \"$line\") exec " PAWL_COMMAND
                     " run k printenv PAWL_KEY"}};
    const std::string open = "/proc/" + std::to_string(running.pid()) + "/exe";
    // The pipe is still empty.
    EXPECT_TRUE(eventually(
        [&] { return fs::equivalent(open, PAWL_COMMAND) && state_of(running.pid()) == 'S'; }));
    running.write("url = " + server_.unix_url() + "\n");
    EXPECT_EQ(running.wait(patience), exited(0)) << running.err();
    EXPECT_TRUE(server_was_used());
}

TEST_F(settings_files, that_are_empty_pipes_are_refused)
{
    process running{{"bash", "-c", "PAWL_CONFIG=<(:) exec " PAWL_COMMAND " run k true"}};
    EXPECT_EQ(running.wait(patience), exited(64));
    EXPECT_THAT(running.err(), HasSubstr("this pipe was empty"));
}

TEST_F(settings_files, of_the_user_must_not_be_pipes)
{
    const fs::path pipe = dir_.path() / "pawl.conf";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const result got = run_in({"PAWL_CONFIG=", "XDG_CONFIG_HOME=" + dir()});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_THAT(got.err, HasSubstr(pipe.string() + ": this is a pipe"));
}

TEST_F(settings_files, that_cannot_be_read_are_an_error)
{
    EXPECT_THROW(static_cast<void>(cli::read_settings({dir_.path()})), cli::settings_error);
    const result got = run_in({"PAWL_CONFIG=" + dir() + "/none"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_THAT(got.err, HasSubstr("PAWL_CONFIG: there is no file '" + dir() + "/none'"));
}

TEST_F(settings_files, are_not_read_when_a_server_is_named)
{
    const std::string broken = "PAWL_CONFIG=" + write("broken.conf", "broken").string();
    EXPECT_EQ(run_in({broken}, {"--url", server_.unix_url()}).end, exited(0));
    EXPECT_EQ(run_in({broken, "PAWL_URL=" + server_.unix_url()}).end, exited(0));
    EXPECT_EQ(run_in({broken}, {"--url", "local:"}).end, exited(64));
}

using a_remote_server = settings_files;

// A cron job without PAWL_URL must not lock each of twenty machines separately.
TEST_F(a_remote_server, that_is_required_and_not_named_is_an_error)
{
    const fs::path file = write("remote.conf", "require_remote = yes\n");
    const words by_option{"--require-remote"};
    for (const auto& [environment, options, by] :
         {std::tuple{words{}, by_option, std::string{"--require-remote"}},
          std::tuple{words{"PAWL_REQUIRE_REMOTE=1"}, words{}, std::string{"PAWL_REQUIRE_REMOTE"}},
          std::tuple{words{"PAWL_REQUIRE_REMOTE=Yes"}, words{}, std::string{"PAWL_REQUIRE_REMOTE"}},
          std::tuple{words{"PAWL_REQUIRE_REMOTE=TRUE"}, words{},
                     std::string{"PAWL_REQUIRE_REMOTE"}},
          std::tuple{words{"PAWL_CONFIG=" + file.string()}, words{}, file.string() + ", line 1"}}) {
        const result got = run_in(environment, options);
        EXPECT_EQ(got.end, exited(64));
        EXPECT_EQ(got.out, "");
        EXPECT_THAT(
            got.err,
            HasSubstr(by +
                      " requires a server that other machines can reach, but no server is named"));
    }
}

TEST_F(a_remote_server, that_is_required_must_not_be_local)
{
    EXPECT_THAT(run_in({}, {"--require-remote", "--url", "local:"}).err,
                HasSubstr("--url names local:; the lock would cover only this user's processes on "
                          "this machine"));
    EXPECT_THAT(run_in({"PAWL_URL=local:"}, {"--require-remote"}).err,
                HasSubstr("PAWL_URL names local:"));
}

TEST_F(a_remote_server, that_is_required_and_named_is_used)
{
    const result got =
        run_in({"PAWL_REQUIRE_REMOTE=yes"}, {"--require-remote", "--url", server_.unix_url()});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_TRUE(server_was_used());
}

TEST_F(a_remote_server, is_required_by_the_file_unless_the_environment_says_otherwise)
{
    const fs::path file =
        write("remote.conf", "require_remote = yes\nurl = " + server_.unix_url() + "\n");
    const std::string config = "PAWL_CONFIG=" + file.string();
    EXPECT_EQ(run_in({config}, {"--url", "local:"}).end, exited(64));
    // Refused because of its directory, which is checked later.
    const result got = run_in({config, "PAWL_REQUIRE_REMOTE=no", "PAWL_LOCAL_DIR=/proc/none"},
                              {"--url", "local:"});
    EXPECT_NE(got.end, exited(64)) << got.err;
    EXPECT_THAT(run_in({config, "PAWL_REQUIRE_REMOTE=perhaps"}).err,
                HasSubstr("PAWL_REQUIRE_REMOTE is 'perhaps' (allowed: yes, no)"));
}

}  // namespace
}  // namespace pawl::test
