// The shared connection receives the messages of its channel between the replies, and subscribes
// again after every break.
#include "integration/fixture.h"
#include "support/ear.h"
#include "support/fault_proxy.h"

#include "base/event_loop.h"
#include "base/platform.h"
#include "redis/socket_transport.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <vector>

namespace pawl::test {
namespace {

// A transport with its own loop.
class line {
public:
    explicit line(const std::string& url) : transport_{loop_, config_of(url), 1, {2s, 2s}} {}
    ~line() { loop_.stop(); }
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    ear& start()
    {
        loop_.start();
        return ear_;
    }

    void listen()
    {
        loop_.post([this] { transport_.listen("news", ear_); });
    }

    // The reply as text. "(failed)" if there is none.
    std::future<std::string> ask(std::vector<std::string> words)
    {
        auto promise = std::make_shared<std::promise<std::string>>();
        auto answer = promise->get_future();
        loop_.post([this, words = std::move(words), promise] {
            submit(words, [this, promise](std::string text) {
                listened_at_last_answer = ear_.listens();
                promise->set_value(std::move(text));
            });
        });
        return answer;
    }

    // To be called on the loop.
    void submit(const std::vector<std::string>& words, std::function<void(std::string)> done)
    {
        auto write = [words](const redis::server_facts&, std::string& out) {
            redis::append_request(out, std::vector<std::string_view>{words.begin(), words.end()});
            return 1U;
        };
        transport_.submit(std::move(write), 2s,
                          [done = std::move(done)](const auto* reply, const auto* failure) {
                              done(failure != nullptr ? "(failed)" : std::string{reply->text()});
                          });
    }

    ear ear_;
    std::atomic<bool> listened_at_last_answer{false};

private:
    static redis::server_config config_of(const std::string& url)
    {
        client_options options;
        options.url = url;
        return redis::read_config(options);
    }

    base::system_platform platform_;
    base::event_loop loop_{platform_};
    redis::socket_transport transport_;
};

class listening : public with_server {
protected:
    using with_server::with_server;

    std::int64_t publish(const std::string& text)
    {
        return probe_.must({"PUBLISH", "news", text}).integer;
    }

    // Publishes until it arrives: a listener that has just begun may miss some messages.
    [[nodiscard]] bool reaches(const ear& who, const std::string& text)
    {
        return eventually([&] {
            publish(text);
            const auto all = who.messages();
            return std::ranges::find(all, text) != all.end();
        });
    }
};

TEST_F(listening, begins_without_any_request_and_hears_in_order)
{
    line mine{server_.unix_url()};
    const auto& told = mine.start();
    mine.listen();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    EXPECT_EQ(publish("one"), 1);
    probe_.must({"PUBLISH", "other", "not for us"});
    const std::string bytes{"\0two\r\n", 6};
    EXPECT_EQ(publish(bytes), 1);
    EXPECT_EQ(publish(""), 1);
    ASSERT_TRUE(eventually([&] { return told.messages().size() == 3; }));
    EXPECT_EQ(told.messages(), (std::vector<std::string>{"one", bytes, ""}));
    EXPECT_EQ(told.told(), std::vector{true});
}

TEST_F(listening, can_begin_on_a_connection_that_is_in_use)
{
    line mine{server_.unix_url()};
    const auto& told = mine.start();
    EXPECT_EQ(mine.ask({"ECHO", "before"}).get(), "before");
    auto first = mine.ask({"ECHO", "first"});
    mine.listen();
    auto second = mine.ask({"ECHO", "second"});
    EXPECT_EQ(first.get(), "first");
    EXPECT_EQ(second.get(), "second");
    EXPECT_TRUE(told.listens()) << "SUBSCRIBE was sent before the second request";
    EXPECT_EQ(probe_.client_list().size(), 1U);
}

TEST_F(listening, keeps_requests_and_replies_matched)
{
    line mine{server_.unix_url()};
    const auto& told = mine.start();
    mine.listen();
    std::vector<std::future<std::string>> answers;
    // A message to the same client comes before the reply to its PUBLISH.
    for (int i = 0; i < 500; ++i) {
        answers.push_back(mine.ask({"ECHO", std::to_string(i)}));
        if (i % 7 == 0) static_cast<void>(mine.ask({"PUBLISH", "news", std::to_string(i)}));
        if (i % 11 == 0) publish("from outside");
    }
    for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(answers[static_cast<std::size_t>(i)].get(), std::to_string(i));
    }
    auto all = told.messages();
    std::erase(all, "from outside");
    EXPECT_EQ(all.size(), 72U) << "those of 0, 7, … 497";
    EXPECT_EQ(all.back(), "497");
}

TEST_F(listening, lets_the_listener_make_requests)
{
    line mine{server_.unix_url()};
    mine.ear_.on_message = [&] { mine.submit({"INCR", "heard"}, [](const std::string&) {}); };
    const auto& told = mine.start();
    mine.listen();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    for (int i = 0; i < 5; ++i) publish("x");
    EXPECT_TRUE(eventually([&] { return probe_.get("heard") == "5"; }));
}

TEST_F(listening, begins_again_when_the_server_ends_the_connection)
{
    line mine{server_.unix_url()};
    const auto& told = mine.start();
    mine.listen();
    for (std::size_t round = 1; round <= 3; ++round) {
        ASSERT_TRUE(eventually([&] { return told.told().size() == 2 * round - 1; }));
        probe_.must({"CLIENT", "KILL", "TYPE", "pubsub"});
        ASSERT_TRUE(eventually([&] { return told.told().size() == 2 * round + 1; }));
        EXPECT_EQ(told.told()[2 * round - 1], false);
        EXPECT_TRUE(told.listens());
        EXPECT_EQ(publish("round " + std::to_string(round)), 1);
    }
    ASSERT_TRUE(eventually([&] { return told.messages().size() == 3; }));
    EXPECT_EQ(mine.ask({"ECHO", "still"}).get(), "still");
}

TEST_F(listening, ends_before_the_outstanding_requests_fail)
{
    fault_proxy proxy{server_.port()};
    line mine{proxy.url()};
    const auto& told = mine.start();
    mine.listen();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    proxy.half_open();
    auto answer = mine.ask({"ECHO", "nobody"});
    proxy.cut(fault_proxy::ending::reset);
    EXPECT_EQ(answer.get(), "(failed)");
    EXPECT_FALSE(mine.listened_at_last_answer);
    proxy.pass();
    EXPECT_TRUE(reaches(told, "again"));
}

TEST_F(listening, begins_again_when_the_server_comes_back)
{
    line mine{server_.url()};
    const auto& told = mine.start();
    mine.listen();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    server_.stop();
    ASSERT_TRUE(eventually([&] { return !told.listens(); }));
    EXPECT_EQ(mine.ask({"ECHO", "nobody"}).get(), "(failed)")
        << "at once, not when the server is back";
    server_.restart();
    probe_ = server_.probe();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    EXPECT_EQ(publish("back"), 1);
    EXPECT_TRUE(eventually([&] { return told.messages() == std::vector<std::string>{"back"}; }));
}

TEST_F(listening, waits_for_a_server_that_does_not_run_yet)
{
    fault_proxy proxy{server_.port()};
    proxy.set_door(fault_proxy::door::slammed);
    line mine{proxy.url()};
    const auto& told = mine.start();
    mine.listen();
    EXPECT_TRUE(proxy.wait_for([](const auto& counts) { return counts.accepted >= 3; }, patience))
        << "it tries again by itself";
    EXPECT_TRUE(told.told().empty());
    proxy.set_door(fault_proxy::door::open);
    EXPECT_TRUE(reaches(told, "here"));
}

TEST_F(listening, notices_a_dead_connection_at_the_next_request)
{
    fault_proxy proxy{server_.port()};
    line mine{proxy.url()};
    const auto& told = mine.start();
    mine.listen();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    proxy.half_open();
    EXPECT_EQ(mine.ask({"ECHO", "nobody"}).get(), "(failed)");
    EXPECT_FALSE(told.listens());
    proxy.pass();
    EXPECT_TRUE(reaches(told, "again"));
}

TEST_F(listening, fails_for_a_user_without_permission_but_requests_still_work)
{
    probe_.must({"ACL", "SETUSER", "ann", "on", ">secret", "~*", "resetchannels", "+@all"});
    line mine{"redis://ann:secret@127.0.0.1:" + std::to_string(server_.port())};
    const auto& told = mine.start();
    mine.listen();
    auto first = mine.ask({"ECHO", "first"});
    auto second = mine.ask({"ECHO", "second"});
    EXPECT_EQ(first.get(), "first");
    EXPECT_EQ(second.get(), "second");
    EXPECT_EQ(publish("secret"), 0);
    EXPECT_EQ(mine.ask({"ECHO", "third"}).get(), "third");
    EXPECT_TRUE(told.told().empty());
    EXPECT_EQ(probe_.calls("hello"), 1) << "the connection works for other requests";
}

class listening_in_resp2 : public listening {
protected:
    listening_in_resp2() : listening{{.config = {"rename-command HELLO \"\""}}} {}
};

TEST_F(listening_in_resp2, is_not_tried)
{
    line mine{server_.unix_url()};
    const auto& told = mine.start();
    mine.listen();
    EXPECT_EQ(mine.ask({"ECHO", "first"}).get(), "first");
    EXPECT_EQ(publish("x"), 0);
    EXPECT_EQ(mine.ask({"ECHO", "second"}).get(), "second");
    EXPECT_TRUE(told.told().empty());
    EXPECT_EQ(probe_.calls("subscribe"), 0);
}

TEST_F(listening, does_not_make_the_proxy_mix_up_replies)
{
    fault_proxy proxy{server_.port()};
    line mine{proxy.url()};
    const auto& told = mine.start();
    mine.listen();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    proxy.swallow_reply_to(touches("second"), 1, fault_proxy::afterwards::close);
    EXPECT_EQ(mine.ask({"ECHO", "first"}).get(), "first");
    EXPECT_EQ(mine.ask({"ECHO", "second"}).get(), "(failed)");
    EXPECT_EQ(proxy.counts().swallowed, 1U);
}

TEST_F(listening, misses_only_the_messages_that_the_network_loses)
{
    fault_proxy proxy{server_.port()};
    line mine{proxy.url()};
    const auto& told = mine.start();
    mine.listen();
    ASSERT_TRUE(eventually([&] { return told.listens(); }));
    proxy.drop_pushes(0.5);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(mine.ask({"PUBLISH", "news", "x"}).get(), "");
        EXPECT_EQ(mine.ask({"ECHO", std::to_string(i)}).get(), std::to_string(i));
    }
    const auto dropped = proxy.counts().pushes_dropped;
    EXPECT_GT(dropped, 20U);
    EXPECT_LT(dropped, 80U);
    EXPECT_EQ(told.messages().size(), 100 - dropped);
    proxy.drop_pushes(0);
    publish("last");
    ASSERT_TRUE(eventually([&] { return told.messages().back() == "last"; }));
    EXPECT_EQ(told.told(), std::vector{true}) << "the connection did not notice it";
}

}  // namespace
}  // namespace pawl::test
