// On a memory server, messages arrive as over a socket, and listening begins and ends in the same
// way.
#include "support/ear.h"
#include "support/eventually.h"

#include "base/event_loop.h"
#include "store/memory/transport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl::store::memory {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using messages = std::vector<std::string>;

// One client of the server.
class line {
public:
    explicit line(const std::shared_ptr<server>& where)
        : platform_{std::make_shared<platform>(where, std::make_unique<base::system_platform>())}
    {
        loop_.start();
    }
    ~line() { loop_.stop(); }
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    [[nodiscard]] session number() const { return platform_->session(); }

    void listen()
    {
        loop_.post([this] { transport_.listen("news", ear_); });
    }

    // The reply: a number or a text. "(failed)" if there is none.
    std::future<std::string> ask(std::vector<std::string> words)
    {
        auto promise = std::make_shared<std::promise<std::string>>();
        auto answer = promise->get_future();
        loop_.post([this, words = std::move(words), promise] {
            auto write = [words](const redis::server_facts&, std::string& out) {
                redis::append_request(out,
                                      std::vector<std::string_view>{words.begin(), words.end()});
                return 1U;
            };
            transport_.submit(std::move(write), 1s,
                              [this, promise](const auto* reply, const auto*) {
                                  listened_at_last_answer = ear_.listens();
                                  if (reply == nullptr) return promise->set_value("(failed)");
                                  const bool number = reply->type() == redis::resp_type::integer;
                                  promise->set_value(number ? std::to_string(reply->integer())
                                                            : std::string{reply->text()});
                              });
        });
        return answer;
    }

    std::string publish(const std::string& text) { return ask({"PUBLISH", "news", text}).get(); }

    test::ear ear_;
    std::atomic<bool> listened_at_last_answer{false};

private:
    std::shared_ptr<platform> platform_;
    base::event_loop loop_{*platform_};
    transport transport_{loop_, platform_, {1s, 1s}};
};

class memory_listening : public testing::Test {
protected:
    // Returns when it listens.
    void listen(line& who)
    {
        who.listen();
        ASSERT_TRUE(eventually([&] { return who.ear_.listens(); }));
    }

    std::shared_ptr<server> server_ = std::make_shared<server>("");
    line mine_{server_};
    line other_{server_};
};

TEST_F(memory_listening, hears_messages_in_order)
{
    listen(mine_);
    messages sent;
    for (int i = 0; i < 100; ++i) {
        sent.push_back(std::to_string(i));
        EXPECT_EQ(other_.publish(sent.back()), "1");
    }
    EXPECT_EQ(other_.ask({"PUBLISH", "gossip", "x"}).get(), "0");
    ASSERT_TRUE(eventually([&] { return mine_.ear_.messages().size() == 100; }));
    EXPECT_EQ(mine_.ear_.messages(), sent);
    EXPECT_TRUE(other_.ear_.messages().empty());
}

TEST_F(memory_listening, hears_own_messages_before_the_reply)
{
    listen(mine_);
    EXPECT_EQ(mine_.publish("me"), "1");
    EXPECT_EQ(mine_.ear_.messages(), messages{"me"});
}

TEST_F(memory_listening, waits_for_a_frozen_server)
{
    server_->freeze();
    mine_.listen();
    server_->time().advance(1h);
    EXPECT_TRUE(mine_.ear_.told().empty());
    server_->thaw();
    EXPECT_TRUE(eventually([&] { return mine_.ear_.listens(); }));
    EXPECT_EQ(other_.publish("x"), "1");
}

TEST_F(memory_listening, lasts_through_a_freeze_that_was_not_noticed)
{
    listen(mine_);
    server_->freeze();
    server_->time().advance(1h);
    server_->thaw();
    EXPECT_EQ(other_.publish("x"), "1");
    EXPECT_TRUE(eventually([&] { return mine_.ear_.messages() == messages{"x"}; }));
    EXPECT_EQ(mine_.ear_.told(), std::vector{true});
}

TEST_F(memory_listening, ends_when_a_reply_is_missed_and_begins_again_by_itself)
{
    listen(mine_);
    server_->cut_off(mine_.number());
    auto answer = mine_.ask({"PING"});
    server_->time().advance(2s);
    EXPECT_EQ(answer.get(), "(failed)");
    EXPECT_FALSE(mine_.listened_at_last_answer) << "the listener was told before";
    EXPECT_EQ(other_.publish("lost"), "1") << "the server still counts it as a subscriber";
    server_->time().advance(1h);
    EXPECT_FALSE(mine_.ear_.listens());

    server_->reconnect(mine_.number());
    server_->time().advance(100ms);
    EXPECT_TRUE(mine_.ear_.listens());
    EXPECT_EQ(other_.publish("heard"), "1");
    EXPECT_TRUE(eventually([&] { return mine_.ear_.messages() == messages{"heard"}; }));
    EXPECT_EQ(mine_.ear_.told(), (std::vector{true, false, true}));
}

TEST_F(memory_listening, misses_messages_while_the_client_is_cut_off)
{
    listen(mine_);
    server_->cut_off(mine_.number());
    EXPECT_EQ(other_.publish("lost"), "1");
    server_->reconnect(mine_.number());
    EXPECT_EQ(other_.publish("heard"), "1");
    EXPECT_TRUE(eventually([&] { return mine_.ear_.messages() == messages{"heard"}; }));
    EXPECT_EQ(mine_.ear_.told(), std::vector{true}) << "without a request it is not noticed";
}

TEST_F(memory_listening, hears_nothing_on_a_connection_that_was_given_up)
{
    listen(mine_);
    EXPECT_EQ(other_.publish("early"), "1");
    server_->freeze();
    auto published = other_.ask({"PUBLISH", "news", "late"});
    auto missed = mine_.ask({"PING"});
    server_->time().advance(2s);
    EXPECT_EQ(missed.get(), "(failed)");
    EXPECT_EQ(published.get(), "(failed)");
    server_->thaw();
    ASSERT_TRUE(eventually([&] { return mine_.ear_.listens(); }));
    EXPECT_EQ(other_.publish("now"), "1");
    ASSERT_TRUE(eventually([&] { return mine_.ear_.messages().size() == 2; }));
    EXPECT_EQ(mine_.ear_.messages(), (messages{"early", "now"})) << "but the request was executed";
}

TEST_F(memory_listening, ends_with_its_client)
{
    std::optional<line> third{std::in_place, server_};
    listen(*third);
    EXPECT_EQ(other_.publish("x"), "1");
    third.reset();
    EXPECT_EQ(other_.publish("x"), "0");
}

TEST_F(memory_listening, is_safe_for_clients_that_come_and_go)
{
    std::atomic<bool> over{false};
    auto busy = std::async(std::launch::async, [&] {
        while (!over) static_cast<void>(other_.publish("x"));
    });
    for (int i = 0; i < 50; ++i) {
        line brief{server_};
        brief.listen();
        ASSERT_TRUE(eventually([&] { return !brief.ear_.messages().empty(); }));
    }
    over = true;
}

}  // namespace
}  // namespace pawl::store::memory
