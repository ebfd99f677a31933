// The fault proxy does what its table says. The client of these tests is not pawl.
#include "support/fault_proxy.h"
#include "support/eventually.h"
#include "support/redis_probe.h"
#include "support/redis_server.h"

#include <gtest/gtest.h>

#include <hiredis/hiredis.h>

#include <memory>
#include <optional>
#include <string>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;

// A connection through the proxy that waits only a short time for a reply.
class connection {
public:
    explicit connection(const fault_proxy& proxy)
        : context_{::redisConnectWithTimeout("127.0.0.1", proxy.port(), {2, 0})}
    {
        ::redisSetTimeout(context_.get(), {0, 300'000});
    }

    // For large requests, which a loaded machine passes on slowly.
    void be_patient() { ::redisSetTimeout(context_.get(), {30, 0}); }

    // The reply as text. Nothing if none came in time or the connection ended.
    std::optional<std::string> ask(const char* command)
    {
        send(command);
        return answer();
    }

    void send(const char* command) { ::redisAppendCommand(context_.get(), command); }

    std::optional<std::string> answer()
    {
        void* got = nullptr;
        if (::redisGetReply(context_.get(), &got) != REDIS_OK) return std::nullopt;
        auto* reply = static_cast<redisReply*>(got);
        std::string text = reply->type == REDIS_REPLY_INTEGER ? std::to_string(reply->integer)
                           : reply->str == nullptr            ? "nil"
                                                              : std::string{reply->str};
        ::freeReplyObject(reply);
        return text;
    }

    // Writes the appended commands and closes the connection, without waiting for a reply.
    void flush_and_close()
    {
        int done = 0;
        while (done == 0 && ::redisBufferWrite(context_.get(), &done) == REDIS_OK) {
        }
        context_.reset();
    }

    [[nodiscard]] bool connected() const { return context_ && context_->err == 0; }
    [[nodiscard]] bool timed_out() const { return context_->err == REDIS_ERR_IO; }
    [[nodiscard]] bool ended() const { return context_->err == REDIS_ERR_EOF; }

private:
    struct closer {
        void operator()(redisContext* context) const { ::redisFree(context); }
    };
    std::unique_ptr<redisContext, closer> context_;
};

class fault_proxy_ : public testing::Test {
protected:
    redis_server server_;
    redis_probe probe_ = server_.probe();
    fault_proxy proxy_{server_.port()};
};

TEST_F(fault_proxy_, passes_requests_and_replies_and_counts_them)
{
    connection client{proxy_};
    EXPECT_EQ(client.ask("SET a 1"), "OK");
    EXPECT_EQ(client.ask("get a"), "1");
    EXPECT_EQ(client.ask("GET a"), "1");
    EXPECT_EQ(proxy_.counts().of("GET"), 2);
    EXPECT_EQ(proxy_.counts().of("SET"), 1);
    EXPECT_EQ(proxy_.counts().accepted, 1);
    EXPECT_EQ(proxy_.counts().open, 1);
}

TEST_F(fault_proxy_, passes_large_and_pipelined_requests)
{
    connection client{proxy_};
    client.be_patient();
    const std::string large(3'000'000, 'x');
    for (int i = 0; i < 3; ++i) client.send(("SET a " + large).c_str());
    client.send("GET a");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.answer(), "OK");
    EXPECT_EQ(client.answer(), large);
}

TEST_F(fault_proxy_, notices_that_a_client_closes_its_connection)
{
    {
        connection client{proxy_};
        ASSERT_EQ(client.ask("PING"), "PONG");
    }
    EXPECT_TRUE(proxy_.wait_for([](const auto& counts) { return counts.open == 0; }, patience));
    EXPECT_TRUE(eventually([&] { return probe_.client_list().empty(); }));
}

TEST_F(fault_proxy_, delays_both_ways)
{
    connection client{proxy_};
    ASSERT_EQ(client.ask("PING"), "PONG");
    proxy_.delay(50ms);
    EXPECT_GE(time_of([&] { EXPECT_EQ(client.ask("PING"), "PONG"); }), 100ms);
}

TEST_F(fault_proxy_, delivers_a_delayed_request_after_its_sender_has_gone)
{
    connection client{proxy_};
    ASSERT_EQ(client.ask("PING"), "PONG");
    proxy_.delay(100ms);
    client.send("SET late 1");
    client.flush_and_close();
    EXPECT_FALSE(probe_.exists("late"));
    EXPECT_TRUE(eventually([&] { return probe_.exists("late"); }));
}

TEST_F(fault_proxy_, loses_replies_but_not_requests)
{
    connection client{proxy_};
    ASSERT_EQ(client.ask("PING"), "PONG");
    proxy_.drop_replies();
    EXPECT_EQ(client.ask("SET a 1"), std::nullopt);
    EXPECT_TRUE(client.timed_out());
    EXPECT_EQ(probe_.get("a"), "1");
    EXPECT_EQ(proxy_.counts().open, 1);
}

TEST_F(fault_proxy_, sends_nothing_more_on_a_connection_that_has_lost_a_reply)
{
    connection client{proxy_};
    connection other{proxy_};
    ASSERT_EQ(client.ask("PING"), "PONG");
    proxy_.drop_replies();
    client.send("SET a 1");
    client.send("GET a");
    (void)client.answer();
    proxy_.pass();
    EXPECT_EQ(client.ask("PING"), std::nullopt);
    EXPECT_EQ(other.ask("GET a"), "1");
}

TEST_F(fault_proxy_, loses_requests)
{
    connection client{proxy_};
    ASSERT_EQ(client.ask("PING"), "PONG");
    proxy_.drop_requests();
    EXPECT_EQ(client.ask("SET a 1"), std::nullopt);
    EXPECT_TRUE(client.timed_out());
    EXPECT_FALSE(probe_.exists("a"));
    EXPECT_EQ(proxy_.counts().of("SET"), 1);
}

TEST_F(fault_proxy_, holds_everything_back_while_half_open)
{
    connection client{proxy_};
    ASSERT_EQ(client.ask("PING"), "PONG");
    proxy_.half_open();
    EXPECT_EQ(client.ask("SET a 1"), std::nullopt);
    EXPECT_TRUE(client.timed_out());
    EXPECT_FALSE(probe_.exists("a"));
    proxy_.pass();
    EXPECT_TRUE(eventually([&] { return probe_.exists("a"); }));
}

TEST_F(fault_proxy_, cuts_connections_in_order_or_with_a_reset)
{
    for (const auto how : {fault_proxy::ending::orderly, fault_proxy::ending::reset}) {
        connection client{proxy_};
        ASSERT_EQ(client.ask("PING"), "PONG");
        proxy_.cut(how);
        EXPECT_EQ(proxy_.counts().open, 0);
        EXPECT_EQ(client.ask("PING"), std::nullopt);
        EXPECT_FALSE(client.timed_out() && how == fault_proxy::ending::orderly);
    }
    EXPECT_EQ(connection{proxy_}.ask("PING"), "PONG");
}

TEST_F(fault_proxy_, refuses_connections_in_three_ways)
{
    proxy_.set_door(fault_proxy::door::closed);
    EXPECT_FALSE(connection{proxy_}.connected());

    proxy_.set_door(fault_proxy::door::slammed);
    EXPECT_EQ(connection{proxy_}.ask("PING"), std::nullopt);

    proxy_.set_door(fault_proxy::door::ignored);
    connection waiting{proxy_};
    EXPECT_TRUE(waiting.connected());
    EXPECT_EQ(waiting.ask("PING"), std::nullopt);
    EXPECT_TRUE(waiting.timed_out());

    proxy_.set_door(fault_proxy::door::open);
    EXPECT_EQ(connection{proxy_}.ask("PING"), "PONG");
}

TEST_F(fault_proxy_, ends_connections_with_the_server)
{
    connection client{proxy_};
    ASSERT_EQ(client.ask("PING"), "PONG");
    server_.kill();
    EXPECT_EQ(client.ask("PING"), std::nullopt);
    EXPECT_EQ(connection{proxy_}.ask("PING"), std::nullopt);
    EXPECT_TRUE(proxy_.wait_for([](const auto& counts) { return counts.open == 0; }, patience));
}

TEST_F(fault_proxy_, swallows_one_reply_and_closes)
{
    proxy_.swallow_reply_to(touches("a"), 1, fault_proxy::afterwards::close);
    connection client{proxy_};
    EXPECT_EQ(client.ask("SET b 1"), "OK");
    EXPECT_EQ(client.ask("INCR a"), std::nullopt);
    EXPECT_TRUE(client.ended());
    EXPECT_EQ(probe_.get("a"), "1");
    EXPECT_EQ(proxy_.counts().swallowed, 1);
    EXPECT_EQ(connection{proxy_}.ask("INCR a"), "2");
}

TEST_F(fault_proxy_, swallows_as_many_replies_as_asked_and_stays_silent)
{
    proxy_.swallow_reply_to(touches("a"), 2, fault_proxy::afterwards::silence);
    for (int round = 0; round < 2; ++round) {
        connection client{proxy_};
        EXPECT_EQ(client.ask("INCR a"), std::nullopt);
        EXPECT_TRUE(client.timed_out());
    }
    EXPECT_EQ(connection{proxy_}.ask("INCR a"), "3");
}

TEST_F(fault_proxy_, swallows_the_right_one_of_several_replies)
{
    proxy_.swallow_reply_to(touches("c"), 1, fault_proxy::afterwards::close);
    connection client{proxy_};
    client.send("SET a 1");
    client.send("SET b 1");
    client.send("SET c 1");
    client.send("SET d 1");
    EXPECT_EQ(client.answer(), "OK");
    EXPECT_EQ(client.answer(), "OK");
    EXPECT_EQ(client.answer(), std::nullopt);
    EXPECT_EQ(probe_.get("c"), "1");
}

TEST_F(fault_proxy_, lets_noscript_through)
{
    proxy_.swallow_reply_to(touches("a"), 1, fault_proxy::afterwards::close);
    connection client{proxy_};
    const auto answer = client.ask("EVALSHA 0123456789012345678901234567890123456789 1 a");
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->starts_with("NOSCRIPT"));
    EXPECT_EQ(client.ask("SET a 1"), std::nullopt);
}

}  // namespace
}  // namespace pawl::test
