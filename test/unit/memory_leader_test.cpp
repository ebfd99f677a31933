// A leader over a memory server.
#include "unit/memory_leader_fixture.h"

#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace pawl::test {
namespace {

static_assert(std::is_base_of_v<hold, leader::term> && !std::is_copy_constructible_v<leader::term>);
static_assert(std::is_nothrow_move_constructible_v<leader::term>);

TEST_F(memory_leader, shows_its_payload_while_it_leads)
{
    EXPECT_FALSE(theirs_.current());
    auto term = mine_.campaign("10.0.0.7:80");
    EXPECT_TRUE(term);
    EXPECT_EQ(term.payload(), "10.0.0.7:80");
    EXPECT_EQ(term.candidate(), "10.0.0.7:80");
    EXPECT_EQ(term.name(), "primary");
    EXPECT_EQ(server_.holder("primary"), term.id());
    const auto now = theirs_.current();
    ASSERT_TRUE(now);
    EXPECT_EQ(now->payload, "10.0.0.7:80");
    EXPECT_EQ(now->candidate, "10.0.0.7:80");
    EXPECT_EQ(now->fence, term.fence());
    EXPECT_GT(now->lease, 0s);
    EXPECT_LE(now->lease, 3s);
    term.resign();
    EXPECT_FALSE(term);
    EXPECT_FALSE(theirs_.current());
    EXPECT_EQ(code_of([&] { term.resign(); }), errc::not_owner);
}

TEST_F(memory_leader, is_followed_by_the_candidate_that_waited_longest)
{
    std::optional<leader::term> first = mine_.campaign("one");
    auto second = candidate(theirs_, "two", 1);
    auto third = candidate(mine_, "three", 2);
    EXPECT_EQ(seen(), "one");
    first.reset();
    auto next = second.get();
    EXPECT_EQ(seen(), "two");
    EXPECT_FALSE(is_ready(third));
    next.resign();
    EXPECT_EQ(third.get().payload(), "three");
}

TEST_F(memory_leader, does_not_let_one_lead_beside_it)
{
    const auto term = mine_.campaign("one");
    EXPECT_FALSE(theirs_.try_campaign("two"));
    EXPECT_FALSE(mine_.try_campaign("two")) << "not in the same process either";
    EXPECT_FALSE(theirs_.try_campaign_for("two", 20ms));
    EXPECT_FALSE(theirs_.try_campaign_until("two", std::chrono::system_clock::now() + 20ms));
    std::error_code ec;
    EXPECT_FALSE(theirs_.try_campaign("two", ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_FALSE(theirs_.try_campaign_for("two", 20ms, ec));
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_FALSE(theirs_.try_campaign_until("two", std::chrono::system_clock::now() + 20ms, ec));
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_EQ(seen(), "one");
    EXPECT_TRUE(eventually([&] { return queue_.length("primary") == 0; })) << "nothing is left";
}

TEST_F(memory_leader, has_forms_with_an_error_code)
{
    std::error_code ec = errc::busy;
    auto term = mine_.campaign("one", ec);
    EXPECT_FALSE(ec);
    EXPECT_TRUE(theirs_.current(ec));
    term.resign(ec);
    EXPECT_FALSE(ec);
    EXPECT_TRUE(mine_.try_campaign("two", ec));
    EXPECT_TRUE(mine_.try_campaign_for("two", 1s));
}

TEST_F(memory_leader, campaigns_until_stop_is_requested_and_leaves_nothing)
{
    const auto term = mine_.campaign("one");
    std::stop_source stop;
    std::error_code ec;
    auto waits = std::async(std::launch::async, [&] {
        return static_cast<bool>(theirs_.campaign("two", stop.get_token(), ec));
    });
    EXPECT_TRUE(eventually([&] { return queue_.length("primary") == 1; }));
    stop.request_stop();
    EXPECT_FALSE(waits.get());
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return queue_.length("primary") == 0; }));
}

TEST_F(memory_leader, leads_longer_than_its_first_lease_and_shows_its_payload_all_the_time)
{
    const auto term = mine_.campaign("one");
    for (int i = 0; i < 20; ++i) {
        server_.advance(1s);
        EXPECT_EQ(seen(), "one");
    }
    EXPECT_EQ(term.state(), hold_state::held);
}

TEST_F(memory_leader, that_crashes_is_followed_when_its_lease_ends)
{
    const auto term = mine_.campaign("one");
    auto next = candidate(theirs_, "two");
    server_.cut_off(client_);
    EXPECT_EQ(seen(), "one") << "until its lease ends";
    auto second = get(next);
    EXPECT_EQ(seen(), "two");
    EXPECT_TRUE(term.lost().stop_requested());
    EXPECT_GT(second.fence(), term.fence());
    server_.reconnect(client_);
}

TEST_F(memory_leader, that_was_lost_shows_no_payload)
{
    auto term = mine_.campaign("one");
    server_.lose("primary");
    EXPECT_EQ(seen(), "-");
    EXPECT_FALSE(term.confirm());
    EXPECT_TRUE(term.lost().stop_requested());
}

TEST_F(memory_leader, leaves_nothing_at_the_server_but_what_expires)
{
    {
        auto term = mine_.campaign("one");
        auto next = candidate(theirs_, "two");
        auto watches = watcher(term.fence());
        EXPECT_GT(queue_.life_of("primary"), 0);
        EXPECT_GT(queue_.life_of("pawl:queue:{primary}"), 0);
        EXPECT_GT(queue_.life_of("pawl:watch:{primary}"), 0);
        term.resign();
        watches.get();
        next.get().resign();
    }
    EXPECT_EQ(queue_.life_of("primary"), -2);
    EXPECT_EQ(queue_.life_of("pawl:queue:{primary}"), -2);
    EXPECT_EQ(queue_.life_of("pawl:watch:{primary}"), -2);
    EXPECT_GT(queue_.life_of("pawl:fence:{primary}"), 0);
}

TEST_F(memory_leader, checks_its_arguments)
{
    EXPECT_EQ(code_of([&] { const leader nameless(client_, ""); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { const leader bad(client_, "a", {.lease = 1ms}); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { const leader bad(client_, "a", {.linger = 1s}); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { const leader bad(client_, "a", {.layout = layout::plain}); }),
              errc::bad_argument);
    EXPECT_EQ(code_of([&] { const leader bad(client_, "a", {}, std::string(513, 'x')); }),
              errc::bad_argument);
    EXPECT_EQ(code_of([&] { (void)mine_.campaign(std::string(4097, 'x')); }), errc::bad_argument);
    std::error_code ec;
    EXPECT_FALSE(mine_.campaign(std::string(4097, 'x'), ec));
    EXPECT_EQ(ec, errc::bad_argument);
    EXPECT_EQ(mine_.campaign(std::string(4096, 'x')).payload().size(), 4096U);
    EXPECT_EQ(mine_.campaign({}).payload(), "");
    auto term = mine_.campaign("one");
    EXPECT_EQ(code_of([&] { (void)term.yield_to(""); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { const leader::term bad{mutex_.acquire()}; }), errc::bad_argument);
    EXPECT_FALSE(leader::term{hold{}});
    EXPECT_EQ(leader::term{}.payload(), "");
}

TEST_F(memory_leader, does_not_use_the_key_of_another_kind)
{
    auto held = mutex_.acquire();
    leader taken{client_, "job"};
    EXPECT_EQ(code_of([&] { (void)taken.campaign("one"); }), errc::not_a_lock);
    EXPECT_EQ(code_of([&] { (void)taken.current(); }), errc::not_a_lock);
    EXPECT_EQ(code_of([&] { taken.changed_since(0).wait(); }), errc::not_a_lock);
    const auto term = mine_.campaign("one");
    mutex plain{client_, "primary"};
    EXPECT_EQ(code_of([&] { (void)plain.try_acquire(); }), errc::not_a_lock);
    recursive_mutex counted{client_, "primary"};
    EXPECT_EQ(code_of([&] { (void)counted.acquire(); }), errc::not_a_lock);
    EXPECT_TRUE(held.confirm());
}

TEST_F(memory_leader, campaigns_without_blocking)
{
    auto me = mine_.candidate("one");
    leader::term term{futures::acquire(me).get()};
    EXPECT_EQ(seen(), "one");
    auto next = futures::acquire(theirs_.candidate("two"));
    EXPECT_TRUE(eventually([&] { return queue_.length("primary") == 1; }));
    futures::release(std::move(term)).get();
    const leader::term second{next.get()};
    EXPECT_EQ(second.payload(), "two");
    auto change = futures::wait(mine_.changed_since(second.fence()));
    EXPECT_TRUE(eventually([&] { return queue_.watchers("primary") == 1; }));
    server_.lose("primary");
    while (!is_ready(change)) server_.advance(1s);
    change.get();
}

// ── Watchers ────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_leader, is_watched_from_one_leader_to_the_next)
{
    auto comes = watcher(0);
    auto term = mine_.campaign("one");
    comes.get();
    const auto first = theirs_.current();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->payload, "one");
    EXPECT_FALSE(theirs_.changed_since(first->fence).try_wait());
    EXPECT_FALSE(theirs_.changed_since(first->fence).wait_for(20ms));
    EXPECT_TRUE(theirs_.changed_since(0).try_wait());
    EXPECT_TRUE(eventually([&] { return queue_.watchers("primary") == 0; }));

    auto second = candidate(theirs_, "two");
    auto here = watcher(first->fence, 1);
    auto there = watcher(first->fence, 2);
    term.resign();
    here.get();
    there.get();
    auto next = second.get();
    EXPECT_EQ(seen(), "two");

    auto goes = watcher(next.fence());
    next.resign();
    goes.get();
    EXPECT_EQ(seen(), "-");
}

TEST_F(memory_leader, that_crashes_is_noticed_by_its_watchers_when_its_lease_ends)
{
    const auto term = mine_.campaign("one");
    auto goes = watcher(term.fence());
    server_.advance(10s);
    EXPECT_FALSE(is_ready(goes)) << "a renewal is no change";
    server_.cut_off(client_);
    server_.advance(3100ms);
    goes.get();
    EXPECT_EQ(seen(), "-");
    server_.reconnect(client_);
}

TEST_F(memory_leader, is_watched_until_stop_is_requested)
{
    const auto term = mine_.campaign("one");
    std::stop_source stop;
    std::error_code ec;
    const auto change = theirs_.changed_since(term.fence());
    auto waits = std::async(std::launch::async, [&] { change.wait(stop.get_token(), ec); });
    EXPECT_TRUE(eventually([&] { return queue_.watchers("primary") == 1; }));
    stop.request_stop();
    waits.get();
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return queue_.watchers("primary") == 0; }));
}

TEST_F(memory_leader, is_found_again_by_a_watcher_that_did_not_hear_of_the_change)
{
    const auto term = mine_.campaign("one");
    auto goes = watcher(term.fence());
    server_.lose_data();
    while (!is_ready(goes)) server_.advance(1s);
    goes.get();
}

TEST_F(memory_leader, may_be_destroyed_before_its_terms_and_changes)
{
    std::optional<leader> made{std::in_place, client_, "primary"};
    auto term = made->campaign("one");
    auto change = made->changed_since(term.fence());
    made.reset();
    EXPECT_FALSE(change.try_wait());
    term.resign();
    EXPECT_TRUE(change.try_wait());
    const auto taken = std::move(change);
    try {
        change.wait();
        ADD_FAILURE() << "it was moved from";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::bad_argument);
        EXPECT_STREQ(e.what(), "wait: nothing to wait for");
    }
}

TEST_F(memory_leader, is_campaigned_for_with_a_stop_token_and_an_error_code)
{
    std::stop_source stop;
    std::error_code told;
    EXPECT_TRUE(mine_.try_campaign("one", stop.get_token(), told));
    EXPECT_FALSE(told);
    const auto term = mine_.campaign("one");
    EXPECT_FALSE(theirs_.try_campaign("two", stop.get_token(), told));
    EXPECT_EQ(told, errc::busy);
    stop.request_stop();
    EXPECT_FALSE(theirs_.try_campaign_for("two", 1h, stop.get_token(), told));
    EXPECT_EQ(told, errc::cancelled);
    const auto tomorrow = std::chrono::steady_clock::now() + 24h;
    EXPECT_FALSE(theirs_.try_campaign_until("two", tomorrow, stop.get_token(), told));
    EXPECT_EQ(told, errc::cancelled);
}

}  // namespace
}  // namespace pawl::test
