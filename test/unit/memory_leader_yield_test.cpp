// A leader over a memory server hands over to a candidate that it names.
#include "unit/memory_leader_fixture.h"

#include <future>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace pawl::test {
namespace {

TEST_F(memory_leader, yields_to_the_candidate_with_the_name)
{
    auto term = mine_.campaign("one");
    auto second = candidate(theirs_, "two", 1);
    leader named{other_, "primary", {.lease = 3s}, "node 7"};
    auto third = candidate(named, "10.0.0.7", 2);
    const auto lost = term.lost();
    EXPECT_TRUE(term.yield_to("node 7"));
    EXPECT_FALSE(term);
    EXPECT_FALSE(lost.stop_requested()) << "it was not lost";
    auto next = third.get();
    EXPECT_EQ(next.candidate(), "node 7");
    EXPECT_EQ(theirs_.current()->candidate, "node 7");
    EXPECT_EQ(seen(), "10.0.0.7");
    EXPECT_GT(next.fence(), term.fence());
    EXPECT_FALSE(is_ready(second));
    EXPECT_TRUE(next.yield_to("two"));
    EXPECT_EQ(second.get().payload(), "two");
    EXPECT_EQ(code_of([&] { (void)term.yield_to("two"); }), errc::not_owner);
}

TEST_F(memory_leader, goes_on_if_the_candidate_does_not_wait)
{
    auto term = mine_.campaign("one");
    auto second = candidate(theirs_, "two");
    std::error_code ec = errc::busy;
    EXPECT_FALSE(term.yield_to("three"));
    EXPECT_FALSE(term.yield_to("three", ec));
    EXPECT_FALSE(ec);
    EXPECT_TRUE(term.confirm());
    server_.advance(10s);
    EXPECT_EQ(term.state(), hold_state::held) << "it is renewed";
    EXPECT_EQ(seen(), "one");
    term.resign();
    second.get();
}

TEST_F(memory_leader, that_was_lost_cannot_yield)
{
    auto term = mine_.campaign("one");
    server_.lose("primary");
    auto second = theirs_.campaign("two");
    auto third = candidate(theirs_, "three");
    EXPECT_EQ(code_of([&] { (void)term.yield_to("three"); }), errc::lost);
    EXPECT_TRUE(term.lost().stop_requested());
    EXPECT_EQ(term.why(), cause::taken);
    EXPECT_EQ(seen(), "two");
    second.resign();
    third.get();
}

TEST_F(memory_leader, is_lost_if_nobody_knows_whether_it_has_yielded)
{
    auto options = this->options();
    options.command_limit = 300ms;
    client own{options};
    leader here{own, "primary", {.lease = 3s}};
    auto term = here.campaign("one");
    EXPECT_FALSE(term.yield_to("two"));  // the server knows the script now
    auto second = candidate(theirs_, "two");
    server_.freeze();
    EXPECT_EQ(code_of([&] { (void)term.yield_to("two"); }), errc::unreachable);
    EXPECT_TRUE(term.lost().stop_requested());
    server_.thaw();
    // All tries of that call are executed now: the first one yields, the others find that.
    EXPECT_EQ(second.get().payload(), "two");
}

TEST_F(memory_leader, goes_on_if_the_request_to_yield_was_never_sent)
{
    auto options = this->options();
    options.command_limit = 300ms;
    client own{options};
    leader here{own, "primary", {.lease = 24h}};
    auto term = here.campaign("one");
    EXPECT_FALSE(term.yield_to("two"));
    server_.cut_off(own);
    // The first try is sent on the connection that is still there, and loses the term. So a call that changes
    // nothing finds out before that the connection is gone.
    std::error_code told;
    EXPECT_FALSE(term.confirm(told));
    EXPECT_EQ(told, errc::unreachable);
    auto second = candidate(theirs_, "two");
    EXPECT_EQ(code_of([&] { (void)term.yield_to("two"); }), errc::unreachable);
    EXPECT_EQ(term.state(), hold_state::held) << "nothing was sent";
    server_.reconnect(own);
    EXPECT_TRUE(term.confirm());
    EXPECT_FALSE(is_ready(second));
    term.resign();
    second.get();
}

TEST_F(memory_leader, goes_on_if_the_server_answers_with_an_error_and_it_still_leads)
{
    auto term = mine_.campaign("one");
    queue_.send("LSET", "primary", "4", "not a number");  // the number of its last request to yield
    std::error_code told;
    EXPECT_FALSE(term.yield_to("two", told));
    EXPECT_EQ(told, errc::refused);
    EXPECT_EQ(term.state(), hold_state::held);
    queue_.send("SET", store::queue_key("primary"), "not a queue");
    EXPECT_FALSE(term.yield_to("two", told));
    EXPECT_EQ(told, errc::refused);
    queue_.send("LSET", "primary", "4", "0");
    EXPECT_FALSE(term.yield_to("two", told));
    EXPECT_EQ(told, errc::not_a_lock);
    queue_.send("DEL", store::queue_key("primary"));
    EXPECT_TRUE(term.confirm());
    EXPECT_EQ(seen(), "one");
    server_.advance(10s);
    EXPECT_EQ(term.state(), hold_state::held) << "it is renewed";
    auto second = candidate(theirs_, "two");
    EXPECT_TRUE(term.yield_to("two"));
    second.get();
}

TEST_F(memory_leader, is_lost_if_the_server_answers_with_an_error_after_the_hand_over)
{
    auto term = mine_.campaign("one");
    auto second = candidate(theirs_, "two");
    // The script hands over first, and tells the watchers last.
    queue_.send("SET", store::watch_key("primary"), "not a queue");
    EXPECT_EQ(code_of([&] { (void)term.yield_to("two"); }), errc::lost);
    EXPECT_TRUE(term.lost().stop_requested());
    EXPECT_EQ(term.why(), cause::taken);
    EXPECT_EQ(second.get().payload(), "two");
    queue_.send("DEL", store::watch_key("primary"));
}

TEST_F(memory_leader, can_yield_when_memory_is_full)
{
    auto options = this->options();
    options.command_limit = 300ms;
    client own{options};
    leader here{own, "primary", {.lease = 30s}};
    auto term = here.campaign("one");
    server_.fill_memory();
    EXPECT_FALSE(term.yield_to("two")) << "it works when memory is full";
    server_.free_memory();
    EXPECT_TRUE(term.confirm());
}

}  // namespace
}  // namespace pawl::test
