// pawl doctor, against one server.
#include "command.h"
#include "doctor_output.h"
#include "pseudo_terminal.h"
#include "support/acl_rule.h"
#include "support/tls_files.h"

#include <gmock/gmock.h>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A server of which nothing bad can be said.
server_options good_settings()
{
    return {.config = {"appendonly yes", "appendfsync always"}};
}

TEST(doctor, finds_nothing_at_a_good_server)
{
    const redis_server server{good_settings()};
    const auto got = doctor_at(server.unix_url(), {"--verbose"});
    EXPECT_EQ(got.end, exited(0)) << got.out;
    EXPECT_THAT(got.out, AllOf(StartsWith("Fine\n"), HasSubstr("maxmemory-policy noeviction"),
                               HasSubstr("append-only file, appendfsync always"),
                               HasSubstr("user default has 31 commands of the ACL rule"),
                               HasSubstr(": 0 faults, 0 warnings, ")));
    EXPECT_EQ(got.err, "");
    EXPECT_THAT(server.probe().keys("*"), IsEmpty()) << "its own key is gone";
}

TEST(doctor, says_only_the_sum_if_all_is_fine)
{
    const redis_server server{good_settings()};
    // A busy machine may cause a note about round trips.
    EXPECT_THAT(doctor_at(server.unix_url()).out,
                AllOf(Not(HasSubstr("Fine\n")),
                      HasSubstr("unix:" + server.socket_path() + ": 0 faults, 0 warnings, ")));
}

TEST(doctor, warns_of_a_server_that_forgets_its_locks)
{
    const redis_server server;
    const auto got = doctor_at(server.unix_url());
    EXPECT_EQ(got.end, exited(1)) << got.out;
    EXPECT_THAT(got.out,
                AllOf(StartsWith("Warnings\n"), HasSubstr("persistence: no append-only "),
                      HasSubstr("why   a restart loses locks"),
                      HasSubstr("do    set appendonly yes"), HasSubstr(": 0 faults, 1 warning, ")));
}

TEST(doctor, calls_eviction_a_fault)
{
    const redis_server server{
        {.config = {"maxmemory 100mb", "maxmemory-policy volatile-lru", "timeout 60"}}};
    const auto got = doctor_at(server.unix_url());
    EXPECT_EQ(got.end, exited(2)) << got.out;
    EXPECT_THAT(got.out, AllOf(StartsWith("Faults\n  eviction: maxmemory-policy volatile-lru"),
                               HasSubstr("Warnings\n"), HasSubstr("Notes\n  client-timeout: "),
                               Not(HasSubstr("Fine\n"))));
}

TEST(doctor, writes_json_with_stable_names)
{
    const redis_server server{{.config = {"maxmemory 100mb", "maxmemory-policy allkeys-lru"}}};
    const auto got = doctor_at(server.unix_url(), {"--json"});
    EXPECT_EQ(got.end, exited(2));
    const auto all = json_of(got);
    EXPECT_EQ(all.at("server"), server.unix_url());
    EXPECT_EQ(all.at("severity"), "fault");
    EXPECT_EQ(all.at("exit_status"), 2);
    EXPECT_EQ(all.at("counts").at("fault"), 1);
    const auto& worst = all.at("findings").at(0);
    EXPECT_EQ(worst.at("check"), "eviction");
    EXPECT_EQ(worst.at("severity"), "fault");
    EXPECT_EQ(worst.at("checked"), true);
    EXPECT_EQ(worst.at("server"), server.unix_url());
    EXPECT_EQ(worst.at("seen"), "maxmemory-policy allkeys-lru");
    EXPECT_NE(worst.at("why"), "");
    EXPECT_NE(worst.at("advice"), "");
    std::size_t counted = 0;
    for (const auto& each : all.at("counts")) counted += each.get<std::size_t>();
    EXPECT_EQ(counted, all.at("findings").size());
}

TEST(doctor, shows_on_a_terminal_what_it_waits_for)
{
    const redis_server server{good_settings()};
    pseudo_terminal terminal;
    terminal.type(std::string{PAWL_COMMAND} + " doctor --for 1s --url " + server.unix_url() + "\n");
    terminal.expect("examining unix:");
    terminal.expect("0 faults, 0 warnings");
}

class doctor_as : public command_test {
protected:
    // A user with this rule.
    result as_clerk(const words& rule, const words& arguments = {})
    {
        words command{"ACL", "SETUSER", "clerk", "reset", "on", ">street"};
        command.insert(command.end(), rule.begin(), rule.end());
        const redis_value reply = probe_.command(command);
        EXPECT_FALSE(reply.is_error()) << reply.text;
        return doctor_at("redis://clerk:street@127.0.0.1:" + std::to_string(server_.port()),
                         arguments);
    }

    static words lacking(words rule, const std::string& right)
    {
        std::erase(rule, right);
        return rule;
    }
};

TEST_F(doctor_as, a_user_with_the_smallest_rule_finds_no_right_missing)
{
    const auto got = as_clerk(smallest_rule(), {"--lock", "stock:1", "--verbose"});
    EXPECT_THAT(got.out, AllOf(HasSubstr("user clerk has 31 commands of the ACL rule (tried)"),
                               HasSubstr("user clerk may use the keys of this lock"),
                               HasSubstr("no right for CONFIG GET"), HasSubstr("Not checked\n"),
                               Not(HasSubstr("lacks +"))));
    EXPECT_EQ(got.end, exited(1)) << "persistence is seen in INFO";
}

TEST_F(doctor_as, each_missing_right_is_named)
{
    for (const std::string& right : smallest_rule()) {
        if (!right.starts_with('+') || right == "+select") continue;
        const auto got = as_clerk(lacking(smallest_rule(), right));
        EXPECT_THAT(got.out, HasSubstr("user clerk lacks " + right + " (tried)")) << right;
    }
}

TEST_F(doctor_as, each_missing_right_is_named_by_acl_dryrun_too)
{
    for (const std::string& right : smallest_rule()) {
        if (!right.starts_with('+') || right == "+select") continue;
        auto rule = lacking(smallest_rule(), right);
        rule.emplace_back("+acl|dryrun");
        const auto got = as_clerk(rule);
        EXPECT_THAT(got.out, HasSubstr("lacks " + right + " (asked")) << right;
    }
}

TEST_F(doctor_as, a_missing_channel_and_key_are_named)
{
    EXPECT_THAT(as_clerk(lacking(smallest_rule(), "&pawl:client:*")).out,
                HasSubstr("user clerk lacks &pawl:client:* (tried)"));
    const auto got =
        as_clerk(lacking(smallest_rule(), "~pawl:queue:{stock:*"), {"--lock", "stock:1"});
    EXPECT_EQ(got.end, exited(2));
    EXPECT_THAT(got.out, HasSubstr("user clerk may not use pawl:queue:{stock:1}"));
}

TEST_F(doctor_as, a_user_with_the_additional_rights_has_everything_checked)
{
    auto rule = smallest_rule();
    for (const auto& each : rights_of_doctor()) rule.push_back(each);
    const auto got = as_clerk(rule, {"--verbose", "--lock", "stock:1"});
    EXPECT_THAT(got.out, AllOf(Not(HasSubstr("no right for")), Not(HasSubstr("lacks")),
                               HasSubstr("31 commands of the ACL rule (asked with ACL DRYRUN)"),
                               HasSubstr("tcp-keepalive: tcp-keepalive 300")));
}

TEST_F(doctor_as, a_user_without_rights_is_told_all_of_them)
{
    const auto got = as_clerk({"-@all"});
    EXPECT_EQ(got.end, exited(2)) << got.out;
    EXPECT_THAT(got.out,
                AllOf(HasSubstr("lacks +eval, +evalsha, "), HasSubstr("no right for INFO")));
}

TEST_F(doctor_as, nothing_that_it_writes_stays)
{
    (void)as_clerk({"~*", "&*", "-@all", "+rpush", "+hset", "+incr"});
    (void)as_clerk({"~*", "&*", "+@all"}, {"--lock", "a"});
    EXPECT_THAT(probe_.keys("*"), IsEmpty());
    (void)as_clerk({"~*", "&*", "+@all", "-del"});
    for (const auto& key : probe_.keys("*")) EXPECT_GT(probe_.ttl(key), 0ms) << "it expires";
}

TEST(doctor_without_server, says_that_nobody_listens)
{
    redis_server server;
    server.stop();
    for (const auto& url : {server.url(), server.unix_url()}) {
        const auto got = doctor_at(url);
        EXPECT_EQ(got.end, exited(69)) << got.out;
        EXPECT_THAT(got.out, AllOf(HasSubstr("Faults\n  reachable: "),
                                   HasSubstr("do    start the server, or check")));
    }
}

TEST(doctor_without_server, says_that_the_name_is_unknown)
{
    const auto got = doctor_at("redis://no-such-host.invalid");
    EXPECT_EQ(got.end, exited(69));
    EXPECT_THAT(got.out, AllOf(HasSubstr("host 'no-such-host.invalid': "), HasSubstr("(DNS)")));
}

TEST(doctor_without_server, says_that_it_does_not_answer)
{
    redis_server server;
    server.freeze();
    const auto got = doctor_at(server.url());
    EXPECT_EQ(got.end, exited(69)) << got.out;
    EXPECT_THAT(got.out, HasSubstr("check that the server runs and answers"));
}

TEST(doctor_without_login, says_what_is_wrong_with_the_password)
{
    const redis_server server{{.config = {"requirepass hush"}}};
    const auto port = std::to_string(server.port());
    const auto wrong = doctor_at("redis://:guess@127.0.0.1:" + port, {"--json"});
    EXPECT_EQ(wrong.end, exited(77));
    const auto finding = json_of(wrong).at("findings").at(0);
    EXPECT_EQ(finding.at("check"), "login");
    EXPECT_THAT(finding.at("seen").get<std::string>(), HasSubstr("WRONGPASS"));
    EXPECT_THAT(wrong.out, Not(HasSubstr("guess")));
    const auto none = doctor_at("redis://127.0.0.1:" + port);
    EXPECT_EQ(none.end, exited(77));
    EXPECT_THAT(none.out, AllOf(HasSubstr("NOAUTH"), HasSubstr("the server wants a password")));
}

TEST(doctor_without_login, says_that_the_certificate_is_not_trusted)
{
    const tls_files tls;
    const redis_server server{{.tls = &tls}};
    const auto got = doctor_at(server.tls_url());
    EXPECT_EQ(got.end, exited(77)) << got.out;
    EXPECT_THAT(got.out, AllOf(HasSubstr("login: TLS: "), HasSubstr("check the certificates")));
}

TEST(doctor, refuses_wrong_values)
{
    const auto refused = [](const words& arguments) {
        words all{"doctor", "--url", "redis://127.0.0.1:1"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const auto got = run_pawl(all);
        EXPECT_EQ(got.end, exited(64));
        EXPECT_EQ(got.out, "");
        return got.err;
    };
    EXPECT_THAT(refused({"--for", "1h"}), HasSubstr("100 ms to 10 min"));
    EXPECT_THAT(refused({"--for", "soon"}), HasSubstr("soon"));
    EXPECT_THAT(refused({"--lock", std::string(513, 'x')}), HasSubstr("1 to 512 bytes"));
    EXPECT_THAT(refused({"extra"}), HasSubstr("extra"));
}

}  // namespace
}  // namespace pawl::test
