// Users with few permissions on the nodes of a quorum: what the smallest rule allows, and what happens without a part
// of it.
#include "integration/access_fixture.h"
#include "integration/quorum_fixture.h"
#include "support/acl_rule.h"

#include <cstddef>
#include <future>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl::test {
namespace {

class rights_in_quorum : public with_quorum {
protected:
    [[nodiscard]] client_options as_clerk(const std::vector<std::string>& rule)
    {
        auto made = options();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            auto probe = nodes_.node(i).probe();
            made = test::as_clerk(probe, made, rule);
        }
        return made;
    }

    // What the nodes have refused: the command, key or channel.
    [[nodiscard]] std::vector<std::string> denials()
    {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const auto& each : nodes_.node(i).probe().must({"ACL", "LOG"}).items) {
                all.push_back(each.items.at(7).text);
            }
        }
        return all;
    }

    // One client releases a lock while another waits for it. Returns whether the other got it, unless a node has
    // refused something before.
    bool hands_over(const client_options& made)
    {
        client one{made};
        client other{made};
        mutex first{one, "stock:45", quick()};
        fair_mutex second{other, "stock:45", quick()};
        std::error_code ignored;
        hold held = first.try_acquire(ignored).value_or(hold{});
        const auto wait = [&](const std::stop_source& stop) {
            return std::async(std::launch::async, [&second, token = stop.get_token()] {
                std::error_code told;
                return second.try_acquire_for(patience, token, told).has_value();
            });
        };
        const auto has_ended = [](const std::future<bool>& what) {
            return what.wait_for(0s) == std::future_status::ready;
        };
        const auto waits_or_failed = [&](const std::future<bool>& what) {
            return waiters_at(0, "stock:45") > 0 || !denials().empty() || has_ended(what);
        };
        std::stop_source gives_up;
        auto leaving = wait(gives_up);
        EXPECT_TRUE(eventually([&] { return waits_or_failed(leaving); }));
        gives_up.request_stop();
        leaving.wait();
        // It leaves the queue after its call has returned. Its place must not be taken for that of the next waiter.
        EXPECT_TRUE(
            eventually([&] { return waiters_at(0, "stock:45") == 0 || !denials().empty(); }));
        std::stop_source stop;
        auto waiting = wait(stop);
        EXPECT_TRUE(eventually([&] { return waits_or_failed(waiting); }));
        held.release(ignored);
        EXPECT_TRUE(eventually([&] { return !denials().empty() || has_ended(waiting); }));
        stop.request_stop();
        return waiting.get();
    }

    // Every request of a quorum, with any outcome.
    void try_everything(client_options made)
    {
        made.shutdown_limit = 50ms;
        made.command_limit = 500ms;
        client own{made};
        for (const bool force : {false, true}) (void)outcome_of([&] { own.init_nodes(force); });
        (void)outcome_of([&] { own.ping(); });
        (void)outcome_of([&] { (void)own.nodes("stock:42"); });
        std::error_code ignored;
        recursive_mutex lock{own, "stock:42", quick()};
        hold held = lock.try_acquire(ignored).value_or(hold{});
        (void)lock.try_acquire(ignored);
        (void)held.confirm(ignored);
        // A node that has lost its vote votes again.
        nodes_.node(0).probe().must({"DEL", "stock:42"});
        held.extend(lease, ignored);
        held.release(ignored);
        (void)hands_over(made);
        made.database = 1;
        client elsewhere{made};
        (void)outcome_of([&] { elsewhere.ping(); });
    }
};

TEST_F(rights_in_quorum, of_the_smallest_rule_are_enough)
{
    const auto made = as_clerk(smallest_quorum_rule());
    client own{made};
    own.init_nodes(true);
    own.ping();
    for (const auto& each : own.nodes()) EXPECT_EQ(each.state, node_state::voting);
    {
        recursive_mutex lock{own, "stock:42", quick()};
        auto held = lock.acquire();
        auto again = lock.acquire();
        EXPECT_TRUE(held.confirm());
        held.extend(lease);
        for (const auto& each : own.nodes("stock:42")) {
            ASSERT_TRUE(each.lock) << each.detail;
            EXPECT_EQ(each.lock->problem, "");
        }
        nodes_.node(0).probe().must({"DEL", "stock:42"});
        EXPECT_TRUE(always(2 * lease, [&] { return held.state() != hold_state::lost; }));
        EXPECT_EQ(holders_of("stock:42"), 3U) << "the first node has voted again";
    }
    EXPECT_TRUE(hands_over(made));
    EXPECT_GT(nodes_.node(0).probe().calls("zrange"), 0) << "there was a hand-over";
    try_everything(made);
    EXPECT_EQ(denials(), std::vector<std::string>{});
}

TEST_F(rights_in_quorum, of_the_smallest_rule_are_all_needed)
{
    const auto rule = smallest_quorum_rule();
    for (std::size_t i = 0; i < rule.size(); ++i) {
        if (std::string_view{"+~&"}.find(rule[i].front()) == std::string_view::npos) continue;
        auto less = rule;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            auto probe = nodes_.node(node).probe();
            probe.must({"SCRIPT", "FLUSH"});
            probe.must({"ACL", "LOG", "RESET"});
            // The last user may have lacked the right to give them back.
            for (const std::string name : {"stock:42", "stock:45"}) {
                probe.must(
                    {"DEL", name, "pawl:tickets:{" + name + "}", "pawl:places:{" + name + "}"});
            }
        }
        try_everything(as_clerk(less));
        EXPECT_FALSE(denials().empty()) << rule[i] << " is not needed";
    }
}

TEST_F(rights_in_quorum, without_that_to_subscribe_waiters_poll)
{
    const auto made = as_clerk(smallest_quorum_rule("hand-over"));
    client one{made};
    client other{made};
    mutex mine{one, "stock:1", quick()};
    mutex theirs{other, "stock:1", quick()};
    auto held = mine.acquire();
    auto waiting = std::async(std::launch::async,
                              [&] { return theirs.try_acquire_for(patience).has_value(); });
    ASSERT_TRUE(eventually([&] { return !denials().empty(); }));
    EXPECT_TRUE(always(200ms, [&] { return waiters_at(0, "stock:1") == 0; }));
    held.release();
    EXPECT_TRUE(waiting.get());
}

TEST_F(rights_in_quorum, without_that_to_the_run_id_the_error_says_so)
{
    auto rule = smallest_quorum_rule();
    std::erase(rule, "+info");
    client own{as_clerk(rule)};
    const auto told = outcome_of([&] { (void)mutex{own, "stock:1", quick()}.try_acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_THAT(told.message, testing::HasSubstr("info"));
    EXPECT_THAT(told.message, testing::HasSubstr("docs/topologies/quorum.md"));
}

TEST_F(rights_in_quorum, to_other_names_are_refused)
{
    client own{as_clerk(smallest_quorum_rule())};
    const auto told = outcome_of([&] { (void)mutex{own, "staff:1", quick()}.try_acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_THAT(told.message, testing::HasSubstr("staff:1"));
    EXPECT_EQ(holders_of("staff:1"), 0U);
}

TEST_F(rights_in_quorum, that_do_not_cover_a_lock_are_reported_where_its_figures_would_be)
{
    client own{as_clerk(smallest_quorum_rule())};
    for (const auto& each : own.nodes("other:1")) {
        EXPECT_EQ(each.state, node_state::voting);
        ASSERT_TRUE(each.lock);
        EXPECT_THAT(each.lock->problem, testing::HasSubstr("NOPERM"));
        EXPECT_TRUE(each.lock->is_lock) << "nobody knows";
        EXPECT_EQ(each.lock->holder, "");
    }
}

// A user that lost its rights at one node only.
TEST_F(rights_in_quorum, that_one_node_of_three_lacks_do_not_matter)
{
    const auto made = as_clerk(smallest_quorum_rule());
    auto probe = nodes_.node(2).probe();
    (void)test::as_clerk(probe, made, {"resetchannels", "-@all"});
    client own{made};
    mutex lock{own, "stock:1", quick()};
    auto held = lock.acquire();
    EXPECT_EQ(holders_of("stock:1"), 2U);
    const auto nodes = own.nodes();
    EXPECT_EQ(nodes[2].state, node_state::unreachable);
    EXPECT_THAT(nodes[2].detail, testing::HasSubstr("NOPERM"));
}

}  // namespace
}  // namespace pawl::test
