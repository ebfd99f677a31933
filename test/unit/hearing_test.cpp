// Which channels of a node a client subscribes, and what it does when a subscription ends.
#include "store/cluster/hearing.h"

#include "unit/manual_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl::store {
namespace {

using command = redis::channel_command;
using state = hearing::state;
using testing::ElementsAre;
using testing::IsEmpty;

class hearing_of_a_node : public testing::Test {
protected:
    hearing_of_a_node() { ears_.start(); }

    void want(const hearing_need& what)
    {
        ears_.want("0123456789abcdef", what);
        loop_.run();
    }
    void connect(int version = 7)
    {
        way_.listener->connected(
            {.major_version = version, .resp3 = true, .replica = false, .cluster = true});
        loop_.run();
    }
    // Connected and subscribed.
    void begin(const hearing_need& what)
    {
        want(what);
        connect();
        for (const auto& tag : what.tags) way_.listener->subscribed(name_of(tag));
        loop_.run();
        way_.sent.clear();
    }
    [[nodiscard]] static std::string name_of(const std::string& tag)
    {
        return "pawl:client:" + tag + ":0123456789abcdef";
    }

    still_platform platform_;
    manual_loop loop_;
    recorded_transport way_;
    int missed_ = 0;
    int refused_ = 0;
    std::vector<std::pair<std::string, bool>> heard_;  // and whether it was sharded
    hearing ears_{platform_,
                  loop_,
                  way_,
                  {.heard = [this](std::string_view text,
                                   bool sharded) { heard_.emplace_back(text, sharded); },
                   .missed = [this] { ++missed_; },
                   .refused = [this] { ++refused_; }}};
    hearing_need job_{{"{job}"}, 30s};
    hearing_need both_{{"{a}", "{b}"}, 30s};
};

TEST_F(hearing_of_a_node, subscribes_a_sharded_channel_for_each_tag)
{
    EXPECT_EQ(ears_.look(both_), state::deaf);
    want(both_);
    EXPECT_EQ(way_.connects, 1);
    EXPECT_EQ(ears_.look(both_), state::pending);
    connect();
    EXPECT_THAT(way_.sent, ElementsAre(std::pair{command::ssubscribe, name_of("{a}")},
                                       std::pair{command::ssubscribe, name_of("{b}")}));
    way_.listener->subscribed(name_of("{a}"));
    EXPECT_EQ(ears_.look(both_), state::pending);
    way_.listener->subscribed(name_of("{b}"));
    EXPECT_EQ(ears_.look(both_), state::hears);
}

TEST_F(hearing_of_a_node, subscribes_once)
{
    begin(job_);
    want(job_);
    EXPECT_THAT(way_.sent, IsEmpty());
}

TEST_F(hearing_of_a_node, before_7_0_has_one_plain_channel_for_all_tags)
{
    want(both_);
    connect(6);
    EXPECT_THAT(way_.sent, ElementsAre(std::pair{command::subscribe,
                                                 std::string{"pawl:client:0123456789abcdef"}}));
    way_.listener->subscribed("pawl:client:0123456789abcdef");
    EXPECT_EQ(ears_.look(both_), state::hears);
    EXPECT_EQ(ears_.look(job_), state::hears);
}

TEST_F(hearing_of_a_node, tells_those_who_wait_for_it)
{
    std::optional<state> got;
    want(job_);
    ears_.when_settled(job_, [&](state now) { got = now; });
    connect();
    EXPECT_FALSE(got);
    way_.listener->subscribed(name_of("{job}"));
    EXPECT_EQ(got, state::hears);
}

TEST_F(hearing_of_a_node, that_cannot_be_reached_is_deaf)
{
    std::optional<state> got;
    want(job_);
    ears_.when_settled(job_, [&](state now) { got = now; });
    way_.listener->disconnected({});
    EXPECT_EQ(got, state::deaf);
    EXPECT_EQ(missed_, 0);  // nothing was heard before
    want(job_);
    EXPECT_EQ(way_.connects, 2);
}

TEST_F(hearing_of_a_node, has_missed_something_when_the_connection_breaks)
{
    begin(job_);
    way_.listener->disconnected({});
    EXPECT_EQ(missed_, 1);
    EXPECT_EQ(ears_.look(job_), state::deaf);
}

TEST_F(hearing_of_a_node, has_missed_something_when_the_server_ends_a_subscription)
{
    begin(both_);
    way_.listener->unsubscribed(name_of("{a}"));
    EXPECT_EQ(missed_, 1);
    EXPECT_EQ(ears_.look(both_), state::deaf);
    EXPECT_EQ(ears_.look({{"{b}"}, 1s}), state::hears);
}

TEST_F(hearing_of_a_node, tells_those_who_wait_for_several_channels_that_one_has_ended)
{
    begin(job_);
    std::optional<state> got;
    const hearing_need two{{"{job}", "{other}"}, 30s};
    want(two);
    ears_.when_settled(two, [&](state now) { got = now; });
    loop_.run();
    EXPECT_FALSE(got);
    way_.listener->unsubscribed(name_of("{job}"));
    EXPECT_EQ(got, state::deaf);
}

TEST_F(hearing_of_a_node, subscribes_again_only_if_the_node_is_still_a_primary)
{
    begin(job_);
    way_.listener->unsubscribed(name_of("{job}"));
    want(job_);
    EXPECT_THAT(way_.sent, IsEmpty());
    ASSERT_THAT(way_.asked, ElementsAre("ROLE"));
    way_.answer("*1\r\n$6\r\nmaster\r\n");
    EXPECT_THAT(way_.sent, ElementsAre(std::pair{command::ssubscribe, name_of("{job}")}));
}

TEST_F(hearing_of_a_node, leaves_a_node_that_was_made_a_replica)
{
    for (const std::string reply : {"*1\r\n$5\r\nslave\r\n", "-NOPERM no right to ask\r\n"}) {
        begin(job_);
        way_.listener->unsubscribed(name_of("{job}"));
        want(job_);
        way_.hang_ups = 0;
        way_.answer(reply);
        loop_.run();
        EXPECT_EQ(way_.hang_ups, 1) << reply;
        EXPECT_THAT(way_.sent, IsEmpty());
        EXPECT_EQ(ears_.look(job_), state::deaf);
    }
}

TEST_F(hearing_of_a_node, reports_that_it_may_not_subscribe)
{
    want(job_);
    connect();
    way_.listener->refused(name_of("{job}"), {redis::failure_kind::refused, "NOPERM"});
    EXPECT_EQ(refused_, 1);
    EXPECT_EQ(ears_.look(job_), state::deaf);
}

TEST_F(hearing_of_a_node, that_does_not_have_the_slot_is_only_deaf)
{
    want(job_);
    connect();
    way_.listener->refused(name_of("{job}"), {redis::failure_kind::moved, "MOVED 1 h:1"});
    EXPECT_EQ(refused_, 0);
    EXPECT_EQ(ears_.look(job_), state::deaf);
}

TEST_F(hearing_of_a_node, is_refused_by_a_server_without_resp3)
{
    want(job_);
    way_.listener->connected({.major_version = 6, .resp3 = false, .cluster = true});
    EXPECT_EQ(refused_, 1);
    EXPECT_THAT(way_.sent, IsEmpty());
    EXPECT_EQ(ears_.look(job_), state::deaf);
}

TEST_F(hearing_of_a_node, asks_the_node_once_a_second_while_someone_waits)
{
    begin(job_);
    ASSERT_EQ(loop_.timers(), 1);
    platform_.time += 1s;
    loop_.ring();
    EXPECT_THAT(way_.asked, ElementsAre("PING"));
    platform_.time += 30s;
    loop_.ring();
    EXPECT_EQ(loop_.timers(), 0);
    // A new waiter uses the same subscription.
    EXPECT_EQ(ears_.look(job_), state::hears);
    loop_.run();
    EXPECT_EQ(loop_.timers(), 1);
}

TEST_F(hearing_of_a_node, before_7_0_asks_for_its_role)
{
    want(job_);
    connect(6);
    way_.listener->subscribed("pawl:client:0123456789abcdef");
    platform_.time += 1s;
    loop_.ring();
    ASSERT_THAT(way_.asked, ElementsAre("ROLE"));
    way_.answer("*1\r\n$5\r\nslave\r\n");
    loop_.run();
    EXPECT_EQ(way_.hang_ups, 1);
    EXPECT_EQ(missed_, 1);
}

TEST_F(hearing_of_a_node, ends_subscriptions_that_nobody_needs_if_there_are_very_many)
{
    hearing_need many{{}, 1s};
    for (int i = 0; i < 1'000; ++i) many.tags.push_back("{" + std::to_string(i) + "}");
    begin(many);
    begin(job_);
    EXPECT_THAT(way_.sent, IsEmpty());
    platform_.time += 62s;
    EXPECT_EQ(ears_.look(job_), state::hears);  // someone waits here again
    want({{"{new}"}, 1s});
    ASSERT_EQ(way_.sent.size(), 1'001);
    EXPECT_EQ(way_.sent[0], (std::pair{command::ssubscribe, name_of("{new}")}));
    EXPECT_EQ(way_.sent[1].first, command::sunsubscribe);
    EXPECT_EQ(ears_.look(job_), state::hears);
    EXPECT_EQ(ears_.look(many), state::deaf);
    // The answer to our own command is no loss.
    way_.listener->unsubscribed(name_of("{7}"));
    EXPECT_EQ(missed_, 0);
}

TEST_F(hearing_of_a_node, can_be_wanted_again_while_its_subscription_ends)
{
    hearing_need many{{}, 1s};
    for (int i = 0; i < 1'001; ++i) many.tags.push_back("{" + std::to_string(i) + "}");
    begin(many);
    platform_.time += 62s;
    want({{"{new}"}, 1s});
    way_.sent.clear();
    const hearing_need again{{"{7}"}, 1s};
    want(again);
    EXPECT_THAT(way_.sent, ElementsAre(std::pair{command::ssubscribe, name_of("{7}")}));
    way_.listener->unsubscribed(name_of("{7}"));
    EXPECT_EQ(ears_.look(again), state::pending);
    way_.listener->subscribed(name_of("{7}"));
    EXPECT_EQ(ears_.look(again), state::hears);
    EXPECT_EQ(missed_, 0);
}

TEST_F(hearing_of_a_node, passes_messages_on)
{
    begin(job_);
    way_.listener->heard("wanted job");
    EXPECT_THAT(heard_, ElementsAre(std::pair{"wanted job", true}));
}

TEST_F(hearing_of_a_node, before_7_0_does_not_know_which_node_sent_a_message)
{
    want(job_);
    connect(6);
    way_.listener->heard("wanted job");
    EXPECT_THAT(heard_, ElementsAre(std::pair{"wanted job", false}));
}

}  // namespace
}  // namespace pawl::store
