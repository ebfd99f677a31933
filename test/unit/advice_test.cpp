// The advice in error messages.
#include "sync/message.h"

#include <gtest/gtest.h>

namespace pawl::sync {
namespace {

std::string said_of(errc failure, std::string_view detail)
{
    return describe("acquire", "stock:42", "redis://h:1", failure, detail);
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

TEST(advice, names_the_setting_when_the_server_refused)
{
    for (const auto& [reply, setting] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {"OOM command not allowed when used memory > 'maxmemory'.", "raise maxmemory"},
             {"WRONGPASS invalid username-password pair", "check user and password"},
             {"NOAUTH Authentication required.", "check user and password"},
             {"NOPERM this user has no permissions to run the 'evalsha' command", "ACL rule"},
             {"ERR The user executing the script can't run this command", "ACL rule"},
             {"MISCONF Redis is configured to save RDB snapshots",
              "check the server's settings: it cannot save, and stop-writes-on-bgsave-error"},
             {"DENIED Redis is running in protected mode",
              "check the server's settings: protected-mode"},
             {"ERR DB index is out of range", "check the server's settings: databases"},
             {"ERR unknown command 'EVALSHA'", "check the server's settings: rename-command"},
             {"MOVED 3999 127.0.0.1:6381", "use redis+cluster://"},
             {"ERR something new", "check the server's settings and its log"},
         }) {
        EXPECT_TRUE(has(said_of(errc::refused, reply), setting)) << said_of(errc::refused, reply);
    }
}

TEST(advice, names_the_setting_when_the_server_refused_for_now)
{
    EXPECT_TRUE(has(said_of(errc::unreachable, "NOREPLICAS Not enough good replicas to write."),
                    "check the server's settings: min-replicas-to-write"));
    EXPECT_TRUE(has(said_of(errc::unreachable, "ERR max number of clients reached"),
                    "check the server's settings: maxclients"));
    EXPECT_TRUE(has(said_of(errc::unreachable, "the server is a replica: READONLY You can't"),
                    "name the primary"));
}

TEST(advice, on_rights_names_the_page_with_the_rule_of_that_topology)
{
    constexpr std::string_view reply = "NOPERM this user has no permissions to run the command";
    for (const auto& [server, page] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {"redis://h:1", "docs/wire.md"},
             {"redis+sentinel://h:1/main", "docs/wire.md"},
             {"rediss+cluster://h:1", "docs/topologies/cluster.md"},
             {"redlock:redis://a,redis://b,redis://c", "docs/topologies/quorum.md"},
         }) {
        const auto said = describe("acquire", "stock:42", server, errc::refused, reply);
        EXPECT_TRUE(has(said, page)) << said;
    }
}

TEST(advice, on_a_quorum_says_what_to_do)
{
    EXPECT_TRUE(has(said_of(errc::no_quorum,
                            "0 of 3 nodes can vote, 2 are needed; a: in quarantine for 9 s: new; "
                            "b: in quarantine for 9 s: new; c: in quarantine for 9 s: new"),
                    "pawl quorum init"));
    // This is no new installation. To mark a node that was restarted would be dangerous.
    const auto restarted = said_of(errc::no_quorum,
                                   "0 of 3 nodes can vote, 2 are needed; a: in quarantine for 9 s; "
                                   "b: connection refused; c: in quarantine for 9 s");
    EXPECT_FALSE(has(restarted, "pawl quorum init"));
    EXPECT_TRUE(has(restarted, "wait until the nodes that were restarted vote again"));
    EXPECT_TRUE(has(said_of(errc::no_quorum, "a: its clock was stepped, so"), "let NTP slew"));
    EXPECT_TRUE(has(said_of(errc::no_quorum, "a: the same server as another"), "each server once"));
    EXPECT_TRUE(has(said_of(errc::no_quorum, "a: connection refused"), "check that most of the"));
    EXPECT_TRUE(has(said_of(errc::no_quorum, "all nodes are needed; a: connection refused"),
                    "check that all nodes run"));
}

TEST(advice, on_sentinels_says_what_to_check)
{
    EXPECT_TRUE(has(said_of(errc::refused, "the sentinels know no service 'x'"),
                    "check the name of the service in the URL"));
    EXPECT_TRUE(has(said_of(errc::unreachable, "no sentinel answered: connection refused"),
                    "check that the sentinels run"));
    EXPECT_TRUE(has(said_of(errc::unreachable, "no primary answers: the server is a replica"),
                    "when the sentinels have found a new primary"));
}

TEST(advice, names_the_replicas_if_they_did_not_acknowledge)
{
    EXPECT_TRUE(has(said_of(errc::unreachable, "acknowledged by 0 of 1 replicas"),
                    "check that the server's replicas run and follow it"));
}

TEST(advice, on_a_quorum_says_what_to_do_about_the_nodes)
{
    EXPECT_TRUE(
        has(said_of(errc::no_quorum, "1 of 3 nodes can vote; redis://a: in quarantine for 9 s"),
            "wait until the nodes that were restarted vote again"));
    EXPECT_TRUE(has(said_of(errc::no_quorum, "redis://b: the same server as another node"),
                    "name each server once"));
    EXPECT_TRUE(
        has(said_of(errc::no_quorum, "1 of 3 nodes can vote; redis://a: connection refused"),
            "check that most of the nodes run"));
}

TEST(advice, does_not_mention_settings_if_the_server_gave_no_error)
{
    for (const std::string_view detail :
         {"password_file '/no/such/file': No such file or directory", "the client was destroyed",
          "the local server's directory /tmp/x is a symbolic link; remove it",
          "the server speaks TLS: it looks like a TLS port; use rediss://", ""}) {
        const auto text = said_of(errc::refused, detail);
        EXPECT_FALSE(has(text, "server's settings")) << text;
        EXPECT_FALSE(has(text, "certificates")) << text;
    }
    EXPECT_TRUE(has(said_of(errc::refused, "TLS: certificate: unable to get local issuer"),
                    "check the certificates"));
}

TEST(advice, on_a_key_of_another_type_says_that_it_is_of_another_kind)
{
    EXPECT_TRUE(has(said_of(errc::not_a_lock, "WRONGTYPE Operation against a key"),
                    "not a lock of this kind"));
}

}  // namespace
}  // namespace pawl::sync
