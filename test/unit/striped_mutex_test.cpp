#include <pawl/striped_mutex.h>

#include "core/stripe.h"
#include "unit/memory_fixture.h"

#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class stripes : public with_memory {
protected:
    [[nodiscard]] static std::string refusal(client& own, std::string_view name, std::size_t count,
                                             const lock_options& options = {})
    {
        try {
            const striped_mutex made{own, name, count, options};
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::bad_argument);
            return problem.what();
        }
        return "accepted";
    }

    striped_mutex rows_{client_, "row", 64};
};

// docs/wire.md has the same values. They may never change.
TEST(stripe_hash, has_the_documented_values)
{
    EXPECT_EQ(core::stripe_hash(""), 0xefd01f60ba992926U);
    EXPECT_EQ(core::stripe_hash("0"), 0xc1e42af088ff1b2cU);
    EXPECT_EQ(core::stripe_hash("42"), 0x810b196a56ee3cecU);
    EXPECT_EQ(core::stripe_hash("-7"), 0xcb5b5d460b437af0U);
    EXPECT_EQ(core::stripe_hash("18446744073709551615"), 0xa415ffaf93606d58U);
    EXPECT_EQ(core::stripe_hash("order:4711"), 0x05c56b0fff117c86U);
    EXPECT_EQ(core::stripe_hash("Z\xc3\xbcrich"), 0x24b22821293c05d0U);

    EXPECT_EQ(core::stripe_of("order:4711", 64), 6U);
    EXPECT_EQ(core::stripe_of("order:4711", 1000), 454U);
    EXPECT_EQ(core::stripe_of("order:4711", 65'536), 31'878U);
    EXPECT_EQ(core::stripe_of("order:4711", 1), 0U);
}

TEST(stripe_hash, spreads_ids_that_differ_little_evenly)
{
    constexpr std::size_t per_stripe = 200;
    for (const std::size_t count : {2U, 3U, 10U, 16U, 64U, 100U, 1024U}) {
        for (const std::string_view prefix : {"", "order:"}) {
            std::vector<std::size_t> hits(count);
            for (std::size_t i = 0; i < count * per_stripe; ++i) {
                ++hits[core::stripe_of(std::string{prefix} + std::to_string(i), count)];
            }
            // Five standard deviations of a random choice: 200 ± 71.
            for (const auto each : hits) {
                EXPECT_GT(each, 129U) << count << " stripes, " << prefix;
                EXPECT_LT(each, 271U) << count << " stripes, " << prefix;
            }
        }
    }
}

TEST_F(stripes, are_mutexes_with_the_index_in_their_name)
{
    EXPECT_EQ(rows_.name(), "row");
    EXPECT_EQ(rows_.size(), 64U);
    EXPECT_EQ(rows_.index_of("order:4711"), 6U);
    EXPECT_EQ(rows_.of("order:4711").name(), "row:6");
    EXPECT_EQ(&rows_.of("order:4711"), &rows_.stripe(6));
    EXPECT_EQ(rows_.stripe(63).name(), "row:63");
}

TEST_F(stripes, of_integers_are_those_of_their_decimal_text)
{
    const auto as_text = [this](auto id) {
        return rows_.index_of(id) == rows_.index_of(std::to_string(id)) &&
               &rows_.of(id) == &rows_.of(std::to_string(id));
    };
    EXPECT_TRUE(as_text(0));
    EXPECT_TRUE(as_text(42));
    EXPECT_TRUE(as_text(-7));
    EXPECT_TRUE(as_text(static_cast<std::int8_t>(65)));
    EXPECT_TRUE(as_text(static_cast<std::uint16_t>(65'535)));
    EXPECT_TRUE(as_text(std::numeric_limits<std::int64_t>::min()));
    EXPECT_TRUE(as_text(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_EQ(rows_.index_of(42), 44U);
    EXPECT_EQ(rows_.index_of(42ULL), 44U);
    static_assert(!integer_id<bool> && !integer_id<char> && !integer_id<char32_t>);
}

TEST_F(stripes, of_the_same_name_exclude_each_other_across_objects)
{
    client other{options()};
    striped_mutex same{other, "row", 64};
    const hold held = rows_.of(42).acquire();
    EXPECT_FALSE(same.of("42").try_acquire());
    EXPECT_TRUE(same.of(43).try_acquire()) << "another stripe";
}

TEST_F(stripes, are_the_same_object_for_all_threads_that_use_one_first)
{
    std::vector<mutex*> found(8);
    {
        std::vector<std::jthread> threads;
        for (auto& mine : found) threads.emplace_back([&] { mine = &rows_.of("new"); });
    }
    for (const auto* const each : found) EXPECT_EQ(each, &rows_.of("new"));
}

TEST_F(stripes, are_1_to_65536_and_have_a_name_that_is_allowed_for_all_of_them)
{
    EXPECT_EQ(refusal(client_, "row", 0), "stripes: 0 (allowed: 1 to 65536)");
    EXPECT_EQ(refusal(client_, "row", 65'537), "stripes: 65537 (allowed: 1 to 65536)");
    EXPECT_EQ(refusal(client_, "row", 65'536), "accepted");
    EXPECT_EQ(refusal(client_, std::string(509, 'x'), 100), "accepted");
    EXPECT_NE(refusal(client_, std::string(510, 'x'), 100).find("513 bytes"), std::string::npos);
    EXPECT_NE(refusal(client_, "row", 64, {.lease = 1ms}).find("lease"), std::string::npos);
    EXPECT_EQ(code_of([&] { static_cast<void>(rows_.stripe(64)); }), errc::bad_argument);
}

TEST_F(stripes, have_the_options_of_the_striped_mutex)
{
    striped_mutex quick{client_, "quick", 4, {.lease = 1s}};
    const hold held = quick.of("any").acquire();
    EXPECT_LT(held.valid_for(), 1s);
}

}  // namespace
}  // namespace pawl::test
