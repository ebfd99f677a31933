#include "core/keys.h"

#include <pawl/error.h>

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

TEST(keys, the_lock_is_the_name_itself_and_the_fence_is_beside_it)
{
    EXPECT_EQ(keys_of("stock:42").lock, "stock:42");
    EXPECT_EQ(keys_of("stock:42").fence(), "pawl:fence:{stock:42}");
    EXPECT_EQ(keys_of("a{user}b").fence(), "pawl:fence:{user}:a{user}b");
}

TEST(keys, both_keys_fall_into_one_slot_whatever_the_braces)
{
    for (const std::string name : {"a", "{a}", "a{b}c", "{}a", "a}b", "}{", "{{a}}", "{", "}",
                                   "a{b", "{}{x}", "}a{b}", "a{}b{c}", "\xff\x01 \n", "{a}{b}"}) {
        const auto keys = keys_of(name);
        EXPECT_EQ(hash_slot(keys.lock), hash_slot(keys.fence())) << name << " " << keys.fence();
    }
}

TEST(keys, different_locks_have_different_fences)
{
    EXPECT_NE(keys_of("{a}").fence(), keys_of("a").fence());
    EXPECT_NE(keys_of("{a}b").fence(), keys_of("{a}c").fence());
    EXPECT_NE(keys_of("a}b").fence(), keys_of("a}c").fence());
}

TEST(keys, slots_are_those_of_redis_cluster)
{
    // From CLUSTER KEYSLOT of a real server.
    EXPECT_EQ(hash_slot("foo"), 12182);
    EXPECT_EQ(hash_slot("123456789"), 12739);
    EXPECT_EQ(hash_slot("{user1000}.following"), hash_slot("user1000"));
}

TEST(keys, bad_names_are_refused_with_the_reason)
{
    const auto refusal = [](std::string_view name) -> std::string {
        try {
            check_name("lock name", name);
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::bad_argument);
            return e.what();
        }
        return "accepted";
    };
    EXPECT_EQ(refusal(""), "lock name is empty (allowed: 1 to 512 bytes, any but NUL)");
    EXPECT_NE(refusal(std::string(513, 'x')).find("513 bytes"), std::string::npos);
    EXPECT_NE(refusal(std::string_view{"a\0b", 3}).find("NUL at byte 1"), std::string::npos);
    EXPECT_EQ(refusal(std::string(512, 'x')), "accepted");
    EXPECT_EQ(refusal("{ \n}\xff"), "accepted");
}

}  // namespace
}  // namespace pawl::core
