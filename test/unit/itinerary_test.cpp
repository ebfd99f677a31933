// What the store of a Cluster does after a failure.
#include "store/cluster/itinerary.h"

#include <gtest/gtest.h>

#include <string>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::failure;
using core::failure_kind;
using kind = itinerary::next::kind;

const node_address asked{"10.0.0.1", 7000};

failure elsewhere(std::string text)
{
    return {.what = failure_kind::elsewhere, .detail = std::move(text)};
}

failure later(std::string text)
{
    return {.what = failure_kind::unavailable, .detail = std::move(text)};
}

TEST(itinerary, follows_moved_at_once_and_changes_the_table)
{
    itinerary way{false};
    const auto next = way.on_failure(elsewhere("MOVED 3999 10.0.0.2:7001"), asked);
    EXPECT_EQ(next.what, kind::again);
    EXPECT_EQ(next.moved, (redis::redirection{3999, "10.0.0.2", 7001}));
    EXPECT_TRUE(next.reload);
}

TEST(itinerary, takes_a_missing_host_for_the_one_that_has_answered)
{
    const auto next = itinerary{false}.on_failure(elsewhere("MOVED 3999 :7001"), asked);
    EXPECT_EQ(next.moved, (redis::redirection{3999, "10.0.0.1", 7001}));
    EXPECT_EQ(itinerary{true}.on_failure(elsewhere("ASK 3999 :7001"), asked).where,
              (node_address{"10.0.0.1", 7001}));
}

TEST(itinerary, pauses_after_five_redirections)
{
    itinerary way{false};
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(way.on_failure(elsewhere("MOVED 1 h:1"), asked).what, kind::again);
        }
        EXPECT_EQ(way.on_failure(elsewhere("MOVED 1 h:1"), asked).what, kind::pause);
    }
}

TEST(itinerary, follows_ask_only_with_one_key)
{
    const auto one = itinerary{true}.on_failure(elsewhere("ASK 3999 10.0.0.2:7001"), asked);
    EXPECT_EQ(one.what, kind::ask);
    EXPECT_EQ(one.where, (node_address{"10.0.0.2", 7001}));
    EXPECT_FALSE(one.moved);
    EXPECT_FALSE(one.reload);
    const auto several = itinerary{false}.on_failure(elsewhere("ASK 3999 10.0.0.2:7001"), asked);
    EXPECT_EQ(several.what, kind::pause);
    EXPECT_FALSE(several.moved);
}

TEST(itinerary, begins_anew_when_the_other_node_cannot_execute_it_either)
{
    const itinerary way{true};
    EXPECT_EQ(way.on_failed_ask(later("TRYAGAIN Multiple keys")).what, kind::pause);
    EXPECT_EQ(way.on_failed_ask(elsewhere("MOVED 1 h:1")).what, kind::pause);
    EXPECT_FALSE(way.on_failed_ask(elsewhere("MOVED 1 h:1")).moved);
    EXPECT_EQ(way.on_failed_ask({.what = failure_kind::refused}).what, kind::finish);
    EXPECT_EQ(way.on_failed_ask({.what = failure_kind::unreachable, .maybe_executed = true}).what,
              kind::finish);
}

TEST(itinerary, waits_for_what_the_cluster_cannot_execute_now)
{
    itinerary way{false};
    const auto moving = way.on_failure(later("TRYAGAIN Multiple keys request"), asked);
    EXPECT_EQ(moving.what, kind::pause);
    EXPECT_FALSE(moving.reload);
    const auto down = way.on_failure(later("CLUSTERDOWN The cluster is down"), asked);
    EXPECT_EQ(down.what, kind::pause);
    EXPECT_TRUE(down.reload);
}

TEST(itinerary, looks_for_another_node_if_there_is_none_or_it_is_a_replica)
{
    itinerary way{false};
    for (const auto& why : {elsewhere("the server is a replica"),
                            failure{.what = failure_kind::unreachable, .no_server = true}}) {
        const auto next = way.on_failure(why, asked);
        EXPECT_EQ(next.what, kind::pause);
        EXPECT_TRUE(next.reload);
    }
}

TEST(itinerary, never_repeats_what_may_have_been_executed)
{
    itinerary way{true};
    for (const auto what : {failure_kind::unreachable, failure_kind::no_reply}) {
        const auto next = way.on_failure({.what = what, .maybe_executed = true}, asked);
        EXPECT_EQ(next.what, kind::finish);
        EXPECT_TRUE(next.reload);
    }
}

TEST(itinerary, leaves_answers_to_the_caller)
{
    itinerary way{true};
    for (const auto what : {failure_kind::refused, failure_kind::not_a_lock, failure_kind::gone,
                            failure_kind::not_due, failure_kind::cancelled}) {
        const auto next = way.on_failure({.what = what}, asked);
        EXPECT_EQ(next.what, kind::finish);
        EXPECT_FALSE(next.reload);
    }
    EXPECT_EQ(way.on_failure(later("the request came too late"), asked).what, kind::finish);
}

TEST(itinerary, has_pauses_from_10_to_50_ms)
{
    itinerary way{false};
    EXPECT_EQ(way.pause(), 10ms);
    EXPECT_EQ(way.pause(), 20ms);
    EXPECT_EQ(way.pause(), 40ms);
    EXPECT_EQ(way.pause(), 50ms);
    EXPECT_EQ(way.pause(), 50ms);
}

}  // namespace
}  // namespace pawl::store
