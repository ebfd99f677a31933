#include "redis/handshake.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace pawl::redis {
namespace {

using status = handshake::status;

class greeting : public testing::Test {
protected:
    // Passes one reply and returns the status. Requests are collected in out_.
    status answer(handshake& with, const std::string& reply)
    {
        out_.clear();
        reply_parser parser;
        EXPECT_EQ(parser.parse(reply), parse_status::complete);
        return with.on_reply(parser.reply(reply), out_);
    }

    [[nodiscard]] bool said(std::string_view word) const
    {
        return out_.find(word) != std::string::npos;
    }

    server_config config_ = [] {
        server_config config;
        config.name = "me";
        return config;
    }();
    std::string out_;
};

const std::string hello_7 = "%2\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n";

TEST_F(greeting, one_hello_is_enough)
{
    handshake hands{config_};
    EXPECT_EQ(hands.start(out_), status::more);
    EXPECT_TRUE(said("HELLO") && said("SETNAME") && said("me"));
    EXPECT_FALSE(said("AUTH"));
    EXPECT_EQ(answer(hands, hello_7), status::done);
    EXPECT_TRUE(hands.facts().knows_script_flags());
    EXPECT_TRUE(hands.facts().resp3);
}

TEST_F(greeting, a_server_without_lpos_counts_as_one_without_messages)
{
    for (const auto& [version, has_queue] : {std::pair{"5.0.14", false},
                                             {"6.0.5", false},
                                             {"6.0.6", true},
                                             {"6.2.1", true},
                                             {"7.0.15", true},
                                             {"255.255.255", true},
                                             {"abc", false}}) {
        handshake hands{config_};
        std::string out;
        ASSERT_EQ(hands.start(out), status::more);
        const std::string text{version};
        EXPECT_EQ(answer(hands, "%2\r\n$7\r\nversion\r\n$" + std::to_string(text.size()) + "\r\n" +
                                    text + "\r\n$5\r\nproto\r\n:3\r\n"),
                  status::done);
        EXPECT_EQ(hands.facts().resp3, has_queue) << version;
    }
}

TEST_F(greeting, hello_contains_the_password_with_the_default_user)
{
    config_.password = "secret";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_TRUE(said("AUTH") && said("default") && said("secret"));
}

TEST_F(greeting, hello_contains_the_user_if_one_is_named)
{
    config_.user = "ann";
    config_.password = "secret";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_TRUE(said("ann") && said("secret"));
    EXPECT_FALSE(said("default"));
}

// Valkey 9 does not say before AUTH that HELLO is disabled.
TEST_F(greeting, a_server_that_wants_auth_before_it_looks_at_hello_gets_auth)
{
    config_.user = "ann";
    config_.password = "secret";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "-NOAUTH Authentication required.\r\n"), status::more);
    EXPECT_TRUE(said("AUTH") && said("ann") && said("secret"));
    EXPECT_FALSE(said("HELLO"));
    EXPECT_EQ(answer(hands, "+OK\r\n"), status::more);
    EXPECT_EQ(answer(hands, "+OK\r\n"), status::done);
}

TEST_F(greeting, without_a_password_a_server_that_wants_one_is_refused)
{
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "-NOAUTH Authentication required.\r\n"), status::failed);
    EXPECT_NE(hands.problem().detail.find("NOAUTH"), std::string::npos);
}

TEST_F(greeting, a_database_is_selected)
{
    config_.database = 5;
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, hello_7), status::more);
    EXPECT_TRUE(said("SELECT") && said("5"));
    EXPECT_EQ(answer(hands, "+OK\r\n"), status::done);
}

TEST_F(greeting, a_node_of_a_quorum_is_asked_for_its_run_id)
{
    config_.wants_run_id = true;
    config_.database = 5;
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, hello_7), status::more);
    EXPECT_EQ(answer(hands, "+OK\r\n"), status::more);
    EXPECT_TRUE(said("INFO") && said("server"));
    EXPECT_EQ(answer(hands, "=32\r\ntxt:# Server\r\nrun_id:0a1b\r\nx:y\r\n\r\n"), status::done);
    EXPECT_EQ(hands.facts().run_id, "0a1b");
}

TEST_F(greeting, a_server_that_does_not_tell_its_run_id_is_no_node_of_a_quorum)
{
    config_.wants_run_id = true;
    for (const auto* const reply : {"$6\r\nuptime\r\n", "-NOPERM no INFO for you\r\n"}) {
        handshake hands{config_};
        static_cast<void>(hands.start(out_));
        EXPECT_EQ(answer(hands, hello_7), status::more);
        EXPECT_EQ(answer(hands, reply), status::failed);
        EXPECT_EQ(hands.problem().what, failure_kind::refused);
    }
}

TEST_F(greeting, a_server_without_hello_is_greeted_the_old_way)
{
    config_.password = "secret";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "-ERR unknown command 'HELLO'\r\n"), status::more);
    EXPECT_TRUE(said("AUTH") && said("secret"));
    EXPECT_FALSE(said("default")) << "such a server has no users";
    EXPECT_EQ(answer(hands, "+OK\r\n"), status::more);
    EXPECT_TRUE(said("SETNAME"));
    EXPECT_EQ(answer(hands, "-ERR not today\r\n"), status::done)
        << "a missing name is not an error";
    EXPECT_FALSE(hands.facts().knows_script_flags());
    EXPECT_FALSE(hands.facts().resp3);
}

TEST_F(greeting, a_wrong_password_is_a_refusal)
{
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "-WRONGPASS invalid username-password pair\r\n"), status::failed);
    EXPECT_EQ(hands.problem().what, failure_kind::refused);
}

TEST_F(greeting, a_password_that_the_server_repeats_is_not_shown)
{
    config_.password = "secret";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    static_cast<void>(answer(hands, "-ERR unknown command 'HELLO'\r\n"));
    EXPECT_EQ(answer(hands, "-ERR unknown command 'AUTH', with args: 'secret' 'secret'\r\n"),
              status::failed);
    EXPECT_EQ(hands.problem().detail, "ERR unknown command 'AUTH'");
}

// A server repeats at most 128 bytes, so the whole password is not in its message.
TEST_F(greeting, no_part_of_a_long_password_that_the_server_repeats_is_shown)
{
    config_.password = std::string(300, 'x') + "sesame";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    static_cast<void>(answer(hands, "-ERR unknown command 'HELLO'\r\n"));
    EXPECT_EQ(answer(hands, "-ERR unknown command `AUTH`, with args beginning with: `" +
                                std::string(127, 'x') + "\r\n"),
              status::failed);
    EXPECT_EQ(hands.problem().detail, "ERR unknown command `AUTH`");
}

TEST_F(greeting, a_password_that_is_repeated_in_other_words_is_not_shown)
{
    config_.password = "sesame";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "-ERR sesame is not the word\r\n"), status::failed);
    EXPECT_EQ(hands.problem().detail, "ERR *** is not the word");
}

TEST_F(greeting, a_sentinel_and_a_node_of_a_cluster_are_refused)
{
    for (const auto& [mode, name] : std::initializer_list<std::pair<std::string, std::string>>{
             {"sentinel", "a Sentinel"}, {"cluster", "a Redis Cluster"}}) {
        handshake hands{config_};
        static_cast<void>(hands.start(out_));
        EXPECT_EQ(answer(hands, "%1\r\n$4\r\nmode\r\n+" + mode + "\r\n"), status::failed);
        EXPECT_EQ(hands.problem().what, failure_kind::refused);
        EXPECT_NE(hands.problem().detail.find(name), std::string::npos);
    }
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "%1\r\n$4\r\nmode\r\n+standalone\r\n"), status::done);
}

TEST_F(greeting, a_user_without_a_password_is_sent_too)
{
    config_.user = "ann";
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_TRUE(said("AUTH") && said("ann"));
}

TEST_F(greeting, a_loading_server_is_not_a_refusal)
{
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "-LOADING Redis is loading the dataset in memory\r\n"), status::failed);
    EXPECT_EQ(hands.problem().what, failure_kind::not_now);
}

TEST_F(greeting, a_replica_is_not_used)
{
    handshake hands{config_};
    static_cast<void>(hands.start(out_));
    EXPECT_EQ(answer(hands, "%2\r\n$5\r\nproto\r\n:3\r\n$4\r\nrole\r\n$7\r\nreplica\r\n"),
              status::failed);
    EXPECT_EQ(hands.problem().what, failure_kind::replica);
}

TEST_F(greeting, a_missing_password_source_is_named)
{
    config_.password_env = "PAWL_TEST_NO_SUCH_VARIABLE";
    handshake by_env{config_};
    EXPECT_EQ(by_env.start(out_), status::failed);
    EXPECT_NE(by_env.problem().detail.find("PAWL_TEST_NO_SUCH_VARIABLE"), std::string::npos);

    config_.password_env.clear();
    config_.password_file = "/no/such/file";
    handshake by_file{config_};
    EXPECT_EQ(by_file.start(out_), status::failed);
    EXPECT_NE(by_file.problem().detail.find("/no/such/file"), std::string::npos);

    config_.password_file = "/dev/null";
    handshake by_device{config_};
    EXPECT_EQ(by_device.start(out_), status::failed) << "reading a pipe or a device might block";
}

TEST_F(greeting, a_reply_of_an_unexpected_shape_does_no_harm)
{
    for (const std::string reply :
         {"*1\r\n$7\r\nversion\r\n", ":1\r\n", "*0\r\n", "*2\r\n$7\r\nversion\r\n$3\r\nabc\r\n"}) {
        handshake hands{config_};
        static_cast<void>(hands.start(out_));
        EXPECT_EQ(answer(hands, reply), status::done);
        EXPECT_FALSE(hands.facts().knows_script_flags());
        EXPECT_FALSE(hands.facts().resp3);
    }
}

}  // namespace
}  // namespace pawl::redis
