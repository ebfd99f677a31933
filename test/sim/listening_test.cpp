// The simulated network carries messages like replies, and the server forgets listeners when it can
// know that they are gone.
#include "sim/transport.h"
#include "support/ear.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace pawl::sim {
namespace {

using namespace std::chrono_literals;
using messages = std::vector<std::string>;

class sim_listening : public testing::Test {
protected:
    sim_listening() { make_transport(); }

    void make_transport()
    {
        way_ = std::make_unique<transport>(world_, server_, process_, net_, dice{7},
                                           transport::limits{.connect = 2s, .command = 2s});
    }

    void pass(nanoseconds time)
    {
        const auto end = world_.now() + time;
        while (world_.next() <= end) static_cast<void>(world_.step());
        world_.skip_to(end);
    }

    void listen()
    {
        way_->listen("news", ear_);
        pass(1s);
        ASSERT_TRUE(ear_.listens());
    }

    // Publishes at the server directly, without the network. Returns how many listeners the server
    // counts.
    std::string publish(const std::string& text)
    {
        std::string reply;
        const std::vector<std::string_view> words{"PUBLISH", "news", text};
        server_.engine().execute(0, words, reply);
        return reply.substr(1, reply.find('\r') - 1);
    }

    // Sends a request without waiting.
    void ask(const std::string& text)
    {
        way_->submit(
            [text](const redis::server_facts&, std::string& out) {
                redis::append_request(out, std::vector<std::string_view>{"PING", text});
                return 1U;
            },
            1s,
            [this](const auto* reply, const auto*) {
                answers_.push_back(reply != nullptr ? std::string{reply->text()} : "(failed)");
                listened_at_last_answer_ = ear_.listens();
            });
    }

    world world_;
    server server_{world_, {0ns, 0}};
    std::shared_ptr<process> process_ =
        std::make_shared<process>(world_, 1, drifting_clock{1s, 0}, dice{3});
    network net_;
    test::ear ear_;
    messages answers_;
    bool listened_at_last_answer_ = true;
    std::unique_ptr<transport> way_;
};

TEST_F(sim_listening, needs_no_request_and_keeps_the_order)
{
    listen();
    net_.spike = 0.5;
    net_.longest_spike = 1s;
    messages sent;
    for (int i = 0; i < 50; ++i) {
        sent.push_back(std::to_string(i));
        EXPECT_EQ(publish(sent.back()), "1");
        ask(sent.back());
        pass(1ms);
    }
    pass(10s);
    EXPECT_EQ(ear_.messages(), sent);
    EXPECT_EQ(answers_, sent);
}

TEST_F(sim_listening, ends_at_once_when_the_connection_breaks_and_begins_again)
{
    listen();
    way_->break_all(false);
    EXPECT_EQ(publish("lost"), "0");
    pass(1s);
    EXPECT_EQ(publish("heard"), "1");
    pass(1s);
    EXPECT_EQ(ear_.told(), (std::vector{true, false, true}));
    EXPECT_EQ(ear_.messages(), messages{"heard"});
}

TEST_F(sim_listening, seems_to_go_on_when_the_connection_dies_silently)
{
    listen();
    way_->break_all(true);
    EXPECT_EQ(publish("lost"), "1") << "as far as the server knows";
    pass(29s);
    EXPECT_EQ(publish("lost"), "1");
    pass(2s);
    EXPECT_EQ(publish("lost"), "0");
    EXPECT_EQ(ear_.told(), std::vector{true}) << "there was no request";
    EXPECT_TRUE(ear_.messages().empty());
}

TEST_F(sim_listening, belongs_to_the_new_connection_if_there_is_one)
{
    listen();
    way_->break_all(true);
    ask("nobody");
    pass(5s);
    EXPECT_EQ(answers_, messages{"(failed)"});
    EXPECT_FALSE(listened_at_last_answer_) << "the listener was told before";
    EXPECT_EQ(ear_.told(), (std::vector{true, false, true}));
    EXPECT_EQ(publish("once"), "1") << "the former connection is forgotten";
    pass(1s);
    EXPECT_EQ(ear_.messages(), messages{"once"});
}

TEST_F(sim_listening, survives_a_restart_of_the_server)
{
    listen();
    server_.go_down();
    way_->break_all(false);
    server_.engine().restart(true);
    pass(10s);
    EXPECT_FALSE(ear_.listens());
    server_.come_up();
    pass(2s);
    EXPECT_TRUE(ear_.listens()) << "a second is the longest pause";
    EXPECT_EQ(publish("back"), "1");
}

TEST_F(sim_listening, works_with_a_server_that_is_still_loading)
{
    server_.load_for(1h);
    listen();
    EXPECT_EQ(publish("x"), "1");
}

TEST_F(sim_listening, ends_soon_after_a_crash)
{
    listen();
    process_->crash();
    EXPECT_EQ(publish("lost"), "1");
    way_.reset();
    EXPECT_EQ(publish("lost"), "1") << "the server does not know it yet";
    pass(1s);
    EXPECT_EQ(publish("lost"), "0");
    EXPECT_TRUE(ear_.messages().empty());
}

TEST_F(sim_listening, delivers_later_to_a_process_that_is_stopped)
{
    listen();
    process_->stop_for(1h);
    EXPECT_EQ(publish("late"), "1");
    pass(30min);
    EXPECT_TRUE(ear_.messages().empty());
    pass(31min);
    EXPECT_EQ(ear_.messages(), messages{"late"});
}

TEST_F(sim_listening, hears_nothing_where_replies_are_lost)
{
    listen();
    net_.replies_lost = true;
    EXPECT_EQ(publish("lost"), "1");
    pass(1s);
    net_.replies_lost = false;
    EXPECT_EQ(publish("lost"), "1")
        << "on a real connection, later bytes would wait for the lost ones";
    pass(1s);
    EXPECT_TRUE(ear_.messages().empty());
}

TEST_F(sim_listening, loses_messages_and_nothing_else)
{
    listen();
    net_.push_loss = 0.3;
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(publish("x"), "1");
        ask("y");
        pass(10ms);
    }
    pass(1s);
    EXPECT_GT(ear_.messages().size(), 100U);
    EXPECT_LT(ear_.messages().size(), 180U);
    EXPECT_EQ(answers_, messages(200, "y"));
    EXPECT_EQ(ear_.told(), std::vector{true});
}

TEST_F(sim_listening, is_refused_on_a_connection_that_has_ended)
{
    way_->listen("news", ear_);
    // Repeats it until the SUBSCRIBE is under way: whether it survives the break is random.
    for (int i = 0; i < 20; ++i) {
        pass(50us);
        way_->break_all(false);
    }
    pass(5s);
    EXPECT_TRUE(ear_.listens());
    EXPECT_EQ(publish("x"), "1") << "for the last connection only";
}

}  // namespace
}  // namespace pawl::sim
