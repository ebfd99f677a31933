// What the store of a Cluster knows about a request before it sends it.
#include "store/cluster/route.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::exchange_request;
using core::request;
using testing::ElementsAre;

const std::string lingering(48, 'f');

class cluster_route : public testing::Test {
protected:
    core::object lock_{.name = "job"};
    core::object set_{
        .name = "set", .kind = core::object_kind::many, .parts = {"{order}:a", "{order}:b"}};
    core::object spread_{.name = "set", .kind = core::object_kind::many, .parts = {"a", "b"}};
    core::claim mine_{&lock_, "me"};
};

TEST_F(cluster_route, goes_by_the_slot_of_the_name)
{
    EXPECT_EQ(std::get<std::uint16_t>(slot_of(lock_)), hash_slot("job"));
    EXPECT_EQ(std::get<std::uint16_t>(slot_of(set_)), hash_slot("order"));
}

TEST_F(cluster_route, refuses_names_in_different_slots)
{
    const auto why = std::get<core::failure>(slot_of(spread_));
    EXPECT_EQ(why.what, core::failure_kind::refused);
    EXPECT_EQ(
        why.detail,
        "the locks are in different slots of the Cluster: 'a' in slot 15495, 'b' in slot 3300 "
        "(allowed: names with the same hash tag, such as {order}:a and {order}:b; or a mutex for "
        "each name, locked together by std::scoped_lock)");
}

TEST_F(cluster_route, finds_the_object_of_every_request)
{
    const std::vector<request> all{
        core::acquire_request{.mine = mine_},
        exchange_request{core::count_request{.mine = mine_}},
        exchange_request{core::extend_request{.mine = mine_}},
        exchange_request{core::check_request{.mine = mine_}},
        exchange_request{core::keep_request{.mine = mine_}},
        exchange_request{core::release_request{.mine = mine_}},
        exchange_request{core::resize_request{.what = &lock_}},
        exchange_request{core::arrive_request{.what = &lock_}},
        exchange_request{core::wait_request{.waiter = mine_}},
        exchange_request{core::look_request{.waiter = mine_}},
        exchange_request{core::notify_request{.what = &lock_}},
        exchange_request{core::yield_request{.mine = mine_}},
        exchange_request{core::read_request{.what = &lock_}},
        exchange_request{core::due_request{.what = &lock_}},
    };
    for (const auto& each : all) EXPECT_EQ(&object_of(each), &lock_);
}

TEST_F(cluster_route, knows_which_requests_have_one_key)
{
    EXPECT_TRUE(has_one_key(exchange_request{core::extend_request{.mine = mine_}}));
    EXPECT_TRUE(has_one_key(exchange_request{core::check_request{.mine = mine_}}));
    EXPECT_TRUE(has_one_key(exchange_request{core::count_request{.mine = mine_}}));
    EXPECT_TRUE(has_one_key(exchange_request{core::read_request{.what = &lock_}}));
    EXPECT_TRUE(has_one_key(exchange_request{core::due_request{.what = &lock_}}));
    EXPECT_FALSE(has_one_key(core::acquire_request{.mine = mine_}));
    EXPECT_FALSE(has_one_key(exchange_request{core::release_request{.mine = mine_}}));
    EXPECT_FALSE(has_one_key(exchange_request{core::extend_request{.mine = {&set_, "me"}}}));
}

TEST_F(cluster_route, must_hear_where_a_waiter_joins)
{
    EXPECT_FALSE(hearing_need_of(core::acquire_request{.mine = mine_}));
    const auto joins = hearing_need_of(core::acquire_request{.mine = mine_, .wait = 3s});
    ASSERT_TRUE(joins);
    EXPECT_THAT(joins->tags, ElementsAre("{job}"));
    EXPECT_EQ(joins->lasts, 3s);
    EXPECT_TRUE(hearing_need_of(exchange_request{core::wait_request{.waiter = mine_}}));
    EXPECT_TRUE(hearing_need_of(exchange_request{core::look_request{.waiter = mine_}}));
    EXPECT_FALSE(
        hearing_need_of(exchange_request{core::look_request{.waiter = mine_, .leaves = true}}));
    EXPECT_FALSE(hearing_need_of(exchange_request{core::release_request{.mine = mine_}}));
}

TEST_F(cluster_route, needs_each_tag_of_a_set_once)
{
    const auto set = hearing_need_of(core::acquire_request{.mine = {&set_, "me"}, .wait = 3s});
    ASSERT_TRUE(set);
    EXPECT_THAT(set->tags, ElementsAre("{order}"));
    const auto spread =
        hearing_need_of(core::acquire_request{.mine = {&spread_, "me"}, .wait = 3s});
    EXPECT_THAT(spread->tags, ElementsAre("{a}", "{b}"));
}

TEST_F(cluster_route, should_hear_who_wants_a_lock_that_lingers)
{
    EXPECT_FALSE(lingering_need_of(core::acquire_request{.mine = mine_, .lease = 3s}));
    const core::claim idle{&lock_, lingering};
    const auto acquired = lingering_need_of(core::acquire_request{.mine = idle, .lease = 3s});
    ASSERT_TRUE(acquired);
    EXPECT_EQ(acquired->lasts, 3s);
    EXPECT_TRUE(lingering_need_of(exchange_request{core::keep_request{.mine = idle}}));
    EXPECT_FALSE(lingering_need_of(exchange_request{core::release_request{.mine = idle}}));
}

// The scripts take it from the fence key: src/scripts/parts/sharded_channels.lua.
TEST_F(cluster_route, a_channel_has_the_tag_of_the_fence_key_and_its_slot)
{
    for (const std::string name : {"job", "a{b", "c}d", "{tag}e", "{}f", "g{h}i}j"}) {
        const auto tag = key_tail{name}.tag();
        const auto channel = channel_of("0123456789abcdef", tag);
        EXPECT_EQ(channel, "pawl:client:" + tag + ":0123456789abcdef");
        EXPECT_EQ(fence_key(name).substr(0, 11 + tag.size()), "pawl:fence:" + tag) << name;
        EXPECT_EQ(hash_slot(channel), hash_slot(name)) << name;
    }
}

}  // namespace
}  // namespace pawl::store
