// The nodes of a Cluster: when they are closed, and which messages count.
#include "store/cluster/nodes.h"

#include "store/redis/keys.h"
#include "support/eventually.h"
#include "unit/manual_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class recorded_listener final : public notice_listener {
public:
    void granted(const core::grant_notice& what) override { fences.push_back(what.fence); }
    void wanted(std::string_view lock) override { wants.emplace_back(lock); }
    void listening(bool now) override { states.push_back(now); }

    std::vector<std::uint64_t> fences;
    std::vector<std::string> wants;
    std::vector<bool> states;
};

// Addresses, so that no name server is asked. Nobody listens there.
const std::string a = "127.0.0.2";
const std::string b = "127.0.0.3";
const std::string c = "127.0.0.4";

// No node answers, so a load changes nothing: the test itself says who has a slot.
class nodes_of_a_cluster : public testing::Test {
protected:
    nodes_of_a_cluster()
    {
        nodes_.on_moved([this] { ++moved_; });
        nodes_.listen("0123456789abcdef", listener_);
        listener_.states.clear();
    }

    [[nodiscard]] cluster_settings settings()
    {
        cluster_settings made;
        redis::server_config nobody;
        nobody.where.host = "127.0.0.1";
        nobody.where.port = 1;
        made.where.servers = {nobody};
        made.limits = {.connect = 1s, .command = 1s};
        made.connect = [this](const redis::server_config& to) {
            auto way = std::make_unique<recorded_transport>();
            ways_[to.where.host] = way.get();
            return way;
        };
        return made;
    }

    void has_slot(const std::string& host) { nodes_.map().moved({hash_slot("job"), host, 1}); }

    [[nodiscard]] cluster_node* node(const std::string& host)
    {
        auto* const got = nodes_.at({host, 1}).node;
        loop_.run();
        return got;
    }

    void load()
    {
        bool loaded = false;
        nodes_.when_loaded([&] { loaded = true; });
        ASSERT_TRUE(test::eventually([&] {
            loop_.run();
            return loaded;
        }));
    }

    void subscribe(cluster_node& at)
    {
        at.ears.want("0123456789abcdef", {{"{job}"}, 30s});
        loop_.run();
        auto& listener = *ways_[at.address.host]->listener;
        listener.connected({.major_version = 7, .resp3 = true, .cluster = true});
        listener.subscribed("pawl:client:{job}:0123456789abcdef");
        loop_.run();
    }

    std::shared_ptr<still_platform> platform_ = std::make_shared<still_platform>();
    manual_loop loop_;
    std::map<std::string, recorded_transport*> ways_;
    recorded_listener listener_;
    int moved_ = 0;
    cluster_nodes nodes_{platform_, loop_, settings()};
};

TEST_F(nodes_of_a_cluster, are_closed_when_they_have_no_slots)
{
    has_slot(a);
    static_cast<void>(node(a));
    load();
    EXPECT_EQ(ways_[a]->hang_ups, 0);
    has_slot(b);
    load();
    EXPECT_GE(ways_[a]->hang_ups, 1);  // the table may be loaded more than once
}

// A request that began before may still use the node, and subscribe there. Nothing of that may be left.
TEST_F(nodes_of_a_cluster, are_closed_again_if_a_late_request_has_used_them)
{
    has_slot(a);
    auto* const used = node(a);
    has_slot(b);
    load();
    subscribe(*used);
    EXPECT_EQ(loop_.timers(), 1);  // asks the node once a second
    const auto before = ways_[a]->hang_ups;
    load();
    EXPECT_EQ(loop_.timers(), 0);
    EXPECT_GT(ways_[a]->hang_ups, before);  // the table may be loaded more than once
    loop_.ring();
}

TEST_F(nodes_of_a_cluster, are_used_again_when_they_have_slots_again)
{
    has_slot(a);
    auto* const before = node(a);
    has_slot(b);
    load();
    const auto closed = ways_[a]->hang_ups;
    has_slot(a);
    EXPECT_EQ(node(a), before);
    load();
    EXPECT_EQ(ways_[a]->hang_ups, closed);
}

TEST_F(nodes_of_a_cluster, tell_when_another_one_has_taken_the_place_of_one_that_was_used)
{
    has_slot(a);
    static_cast<void>(node(a));
    load();
    EXPECT_EQ(moved_, 0);
    has_slot(b);
    load();
    EXPECT_EQ(moved_, 1);
    load();
    EXPECT_EQ(moved_, 1);
    // It was never used.
    has_slot(c);
    load();
    EXPECT_EQ(moved_, 1);
}

TEST_F(nodes_of_a_cluster, count_messages_from_the_owner_only)
{
    has_slot(a);
    subscribe(*node(a));
    ways_[a]->listener->heard("grant 0123456789abcdef0123456789abcdef 7 1700000000000000 job");
    EXPECT_THAT(listener_.fences, ElementsAre(7));
    EXPECT_THAT(listener_.states, IsEmpty());
}

TEST_F(nodes_of_a_cluster, let_waiters_ask_if_a_sharded_message_shows_that_the_table_is_old)
{
    has_slot(a);
    subscribe(*node(a));
    has_slot(b);
    ways_[a]->listener->heard("grant 0123456789abcdef0123456789abcdef 7 1700000000000000 job");
    loop_.run();
    EXPECT_THAT(listener_.fences, IsEmpty());
    EXPECT_THAT(listener_.states, ElementsAre(false, true));
}

TEST_F(nodes_of_a_cluster, ignore_the_copies_of_a_plain_message)
{
    has_slot(a);
    auto* const at = node(a);
    at->ears.want("0123456789abcdef", {{"{job}"}, 30s});
    ways_[a]->listener->connected({.major_version = 6, .resp3 = true, .cluster = true});
    has_slot(b);
    ways_[a]->listener->heard("grant 0123456789abcdef0123456789abcdef 7 1700000000000000 job");
    loop_.run();
    EXPECT_THAT(listener_.fences, IsEmpty());
    EXPECT_THAT(listener_.states, IsEmpty());
}

// ── How often the table is loaded ───────────────────────────────────────────────────────────────

TEST(pauses_between_loads, grow_while_nothing_changes)
{
    reload_pause pauses;
    base::boot_time now{100s};
    EXPECT_EQ(pauses.after_load(now, false), 100ms);
    EXPECT_EQ(pauses.after_load(now + 900ms, false), 100ms);
    EXPECT_EQ(pauses.after_load(now + 2'500ms, false), 250ms);
    for (int i = 3; i < 20; ++i) static_cast<void>(pauses.after_load(now + i * 1s, false));
    EXPECT_EQ(pauses.after_load(now + 20s, false), 1s);
}

TEST(pauses_between_loads, are_short_again_after_a_change_or_a_quiet_time)
{
    reload_pause pauses;
    base::boot_time now{100s};
    const auto many = [&] {
        for (int i = 0; i < 20; ++i) static_cast<void>(pauses.after_load(now += 1s, false));
    };
    many();
    EXPECT_EQ(pauses.after_load(now += 1s, true), 100ms);
    many();
    EXPECT_EQ(pauses.after_load(now += 1s, false), 1s);
    EXPECT_EQ(pauses.after_load(now += 3s, false), 100ms);
}

}  // namespace
}  // namespace pawl::store
