// Passwords: where they are read from, and what happens when they are wrong.
#include "integration/fixture.h"
#include "support/temp_dir.h"

#include <stdlib.h>
#include <string>

namespace pawl::test {
namespace {

class password : public with_server {
protected:
    password() : with_server{{.config = {"requirepass sesame"}}}
    {
        probe_.must({"AUTH", "sesame"});
        probe_.must({"ACL", "SETUSER", "clerk", "on", ">street", "+@all", "~*", "&*"});
    }

    // Checks that no secret is in any text that users can read.
    void nothing_is_shown(const std::string& more = {})
    {
        std::string all = more + events_.text();
        for (const event& one : events_.all()) all += one.detail;
        for (const char* secret : {"sesame", "street", "wrong-password"}) {
            EXPECT_TRUE(hides(all, secret));
        }
    }

    outcome ping_with(const client_options& made)
    {
        return outcome_of([&] {
            client own{made};
            own.ping();
            EXPECT_TRUE(hides(own.server(), "sesame"));
        });
    }

    temp_dir files_;
};

TEST_F(password, in_the_options_is_accepted)
{
    client_options made = options();
    made.password = "sesame";
    EXPECT_EQ(ping_with(made).message, "");
}

TEST_F(password, in_the_url_is_accepted_with_and_without_a_user)
{
    const std::string where = "127.0.0.1:" + std::to_string(server_.port());
    EXPECT_EQ(ping_with(options("redis://:sesame@" + where)).message, "");
    EXPECT_EQ(ping_with(options("redis://default:sesame@" + where)).message, "");
    EXPECT_EQ(ping_with(options("redis://clerk:stree%74@" + where)).message, "");
}

TEST_F(password, of_a_user_in_the_options_is_accepted)
{
    client_options made = options();
    made.user = "clerk";
    made.password = "street";
    client own{made};
    own.ping();
    EXPECT_TRUE(says(probe_.client_list().at(0), "user=clerk"));
}

TEST_F(password, is_read_from_a_file_and_may_be_changed_there)
{
    write_file(files_.file("secret"), "sesame\nnot this\n");
    client_options made = options();
    made.password_file = files_.file("secret");
    made.command_limit = 1s;
    client own{made};
    own.ping();
    probe_.must({"CONFIG", "SET", "requirepass", "changed"});
    probe_.must({"CLIENT", "KILL", "TYPE", "normal"});
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, errc::refused);
    write_file(files_.file("secret"), "changed");
    EXPECT_EQ(outcome_of([&] { own.ping(); }).message, "");
    EXPECT_EQ(
        ping_with(options(server_.unix_url() + "?password_file=" + made.password_file)).message,
        "");
}

TEST_F(password, is_read_from_the_environment)
{
    ::setenv("PAWL_TEST_SECRET", "sesame", 1);
    client_options made = options();
    made.password_env = "PAWL_TEST_SECRET";
    EXPECT_EQ(ping_with(made).message, "");
    EXPECT_EQ(ping_with(options(server_.url() + "?password_env=PAWL_TEST_SECRET")).message, "");
    ::unsetenv("PAWL_TEST_SECRET");
    const outcome told = ping_with(made);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "PAWL_TEST_SECRET"));
}

TEST_F(password, file_that_does_not_exist_is_named_in_the_error)
{
    client_options made = options();
    made.password_file = files_.file("nothing");
    const outcome told = ping_with(made);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, made.password_file));
}

TEST_F(password, that_is_wrong_or_missing_is_refused_and_never_shown)
{
    client_options wrong = options();
    wrong.password = "wrong-password";
    const outcome told = ping_with(wrong);
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "WRONGPASS"));
    nothing_is_shown(told.message);

    wrong.user = "clerk";
    EXPECT_EQ(ping_with(wrong).code, errc::refused);

    const outcome missing = ping_with(options());
    EXPECT_EQ(missing.code, errc::refused);
    EXPECT_TRUE(says(missing.message, "NOAUTH"));

    client own{wrong};
    mutex lock{own, "job", quick(10s)};
    const outcome at_lock = outcome_of([&] { lock.lock(); });
    EXPECT_EQ(at_lock.code, errc::refused);
    EXPECT_TRUE(says(at_lock.message, "job"));
    nothing_is_shown(at_lock.message);
}

TEST_F(password, that_is_refused_is_reported_at_once)
{
    client_options wrong = options();
    wrong.password = "wrong-password";
    client own{wrong};
    mutex lock{own, "job", quick(10s)};
    EXPECT_LT(time_of([&] { (void)outcome_of([&] { lock.lock(); }); }), slack);
}

TEST_F(password, withdrawn_while_a_lock_is_held_causes_jeopardy_with_cause_refused)
{
    client_options made = options();
    made.user = "clerk";
    made.password = "street";
    client own{made};
    mutex lock{own, "job", quick(600ms)};
    const hold held = lock.acquire();
    probe_.must({"ACL", "SETUSER", "clerk", "resetpass", ">other"});
    probe_.must({"CLIENT", "KILL", "USER", "clerk"});
    const event jeopardy = events_.first(hold_state::jeopardy, held.id());
    const event lost = events_.first(hold_state::lost, held.id());
    EXPECT_EQ(jeopardy.why, cause::refused);
    EXPECT_EQ(lost.why, cause::expired);
    nothing_is_shown();
}

}  // namespace
}  // namespace pawl::test
