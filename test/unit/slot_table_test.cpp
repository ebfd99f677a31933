// The table of slots, and what the store makes of a reply to CLUSTER SLOTS.
#include "store/cluster/slot_table.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace pawl::store {
namespace {

std::optional<slot_table> read(const std::string& reply, std::string_view asked = "10.0.0.9")
{
    redis::reply_parser parser;
    EXPECT_EQ(parser.parse(reply), redis::parse_status::complete);
    return slot_table::read(parser.reply(reply), asked);
}

std::string bulk(const std::string& text)
{
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

std::string node(const std::string& host, int port)
{
    return "*4\r\n" + host + ":" + std::to_string(port) + "\r\n" + bulk("id") + "*0\r\n";
}

std::string range(int first, int last, const std::string& nodes, int count = 1)
{
    return "*" + std::to_string(2 + count) + "\r\n:" + std::to_string(first) +
           "\r\n:" + std::to_string(last) + "\r\n" + nodes;
}

const node_address a{"10.0.0.1", 7000};
const node_address b{"10.0.0.2", 7001};
const node_address c{"b.example", 7002};

slot_table two_owners()
{
    const auto got =
        read("*2\r\n" + range(0, 8191, node(bulk(a.host), 7000) + node(bulk(c.host), 7002), 2) +
             range(8192, 16383, node(bulk(b.host), 7001)));
    EXPECT_TRUE(got);
    return got.value_or(slot_table{});
}

TEST(slot_table, has_the_primary_of_each_slot)
{
    const auto table = two_owners();
    EXPECT_EQ(*table.owner(0), a);
    EXPECT_EQ(*table.owner(8191), a);
    EXPECT_EQ(*table.owner(8192), b);
    EXPECT_EQ(*table.owner(16383), b);
    EXPECT_NE(table.owner_number(0), table.owner_number(8192));
}

TEST(slot_table, knows_replicas_which_own_nothing)
{
    const auto table = two_owners();
    EXPECT_EQ(table.nodes(), (std::vector{a, c, b}));
    EXPECT_TRUE(table.is_owner(a));
    EXPECT_FALSE(table.is_owner(c));
    EXPECT_FALSE(table.is_owner({"10.0.0.1", 7001}));
}

TEST(slot_table, takes_a_missing_host_for_the_one_that_was_asked)
{
    for (const std::string host : {"$0\r\n\r\n", "_\r\n", "$-1\r\n", "$1\r\n?\r\n"}) {
        const auto table = read("*1\r\n" + range(0, 1, node(host, 7000)));
        ASSERT_TRUE(table) << host;
        EXPECT_EQ(*table->owner(0), (node_address{"10.0.0.9", 7000})) << host;
    }
}

TEST(slot_table, is_changed_by_moved)
{
    auto table = two_owners();
    table.moved(5, b);
    EXPECT_EQ(*table.owner(5), b);
    EXPECT_EQ(*table.owner(4), a);
    const node_address added{"10.0.0.4", 7003};
    table.moved(6, added);
    EXPECT_EQ(*table.owner(6), added);
    EXPECT_TRUE(table.is_owner(added));
}

TEST(slot_table, may_have_gaps)
{
    const auto table = read("*1\r\n" + range(3, 3, node(bulk(a.host), 7000)));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->owner(2), nullptr);
    EXPECT_EQ(*table->owner(3), a);
    EXPECT_EQ(table->owner(4), nullptr);
    EXPECT_EQ(table->owner_number(4), 0);
}

TEST(slot_table, is_compared_by_the_owners_of_slots)
{
    const auto one =
        read("*2\r\n" + range(0, 3, node(bulk("h"), 1)) + range(4, 9, node(bulk("i"), 1)));
    const auto same =
        read("*2\r\n" + range(4, 9, node(bulk("i"), 1)) + range(0, 3, node(bulk("h"), 1)));
    auto other = *one;
    other.moved(7, {"h", 1});
    auto gap = *read("*1\r\n" + range(0, 3, node(bulk("h"), 1)));
    EXPECT_TRUE(one->has_owners_of(*same));
    EXPECT_FALSE(one->has_owners_of(other));
    EXPECT_FALSE(one->has_owners_of(gap));
    EXPECT_FALSE(gap.has_owners_of(*one));
    EXPECT_TRUE(slot_table{}.has_owners_of(slot_table{}));
    EXPECT_FALSE(slot_table{}.has_owners_of(gap));
}

TEST(slot_table, refuses_replies_that_make_no_sense)
{
    EXPECT_FALSE(read("*0\r\n"));
    EXPECT_FALSE(read("+OK\r\n"));
    EXPECT_FALSE(read("*1\r\n:1\r\n"));
    EXPECT_FALSE(read("*1\r\n*2\r\n:0\r\n:1\r\n"));
    EXPECT_FALSE(read("*1\r\n" + range(5, 4, node(bulk("h"), 1))));
    EXPECT_FALSE(read("*1\r\n" + range(-1, 4, node(bulk("h"), 1))));
    EXPECT_FALSE(read("*1\r\n" + range(0, 16384, node(bulk("h"), 1))));
    EXPECT_FALSE(read("*1\r\n" + range(0, 1, node(bulk("h"), 0))));
    EXPECT_FALSE(read("*1\r\n" + range(0, 1, node(bulk("h"), 70000))));
    EXPECT_FALSE(read("*1\r\n" + range(0, 1, bulk("h"))));
}

}  // namespace
}  // namespace pawl::store
