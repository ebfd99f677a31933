#include "store/redis/keys.h"

#include <gtest/gtest.h>

#include <string>

namespace pawl::store {
namespace {

TEST(keys, are_derived_from_the_name)
{
    EXPECT_EQ(fence_key("stock:42"), "pawl:fence:{stock:42}");
    EXPECT_EQ(queue_key("stock:42"), "pawl:queue:{stock:42}");
    EXPECT_EQ(tickets_key("stock:42"), "pawl:tickets:{stock:42}");
    EXPECT_EQ(places_key("stock:42"), "pawl:places:{stock:42}");
    EXPECT_EQ(fence_key("a{user}b"), "pawl:fence:{user}:a{user}b");
    EXPECT_EQ(fence_key("a}b"), "pawl:fence:{20658}:a}b") << "a number with the same slot as a}b";
}

TEST(keys, both_keys_have_the_same_slot_with_any_braces)
{
    for (const std::string name : {"a", "{a}", "a{b}c", "{}a", "a}b", "}{", "{{a}}", "{", "}",
                                   "a{b", "{}{x}", "}a{b}", "a{}b{c}", "\xff\x01 \n", "{a}{b}"}) {
        EXPECT_EQ(hash_slot(name), hash_slot(fence_key(name))) << name << " " << fence_key(name);
    }
}

TEST(keys, different_locks_have_different_fences)
{
    EXPECT_NE(fence_key("{a}"), fence_key("a"));
    EXPECT_NE(fence_key("{a}b"), fence_key("{a}c"));
    EXPECT_NE(fence_key("a}b"), fence_key("a}c"));
}

TEST(keys, slots_are_those_of_redis_cluster)
{
    // Values from CLUSTER KEYSLOT of a real server.
    EXPECT_EQ(hash_slot("foo"), 12182);
    EXPECT_EQ(hash_slot("123456789"), 12739);
    EXPECT_EQ(hash_slot("{user1000}.following"), hash_slot("user1000"));
}

}  // namespace
}  // namespace pawl::store
