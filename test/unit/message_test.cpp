// Messages in a client's channel.
#include "store/redis/message.h"

#include <gtest/gtest.h>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using kind = message::kind;

TEST(messages, report_a_grant)
{
    const auto got = read_message("grant me 1700000000000001 1700000000000999 stock:42");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->what, kind::grant);
    EXPECT_EQ(got->holder, "me");
    EXPECT_EQ(got->fence, 1'700'000'000'000'001);
    EXPECT_EQ(got->time, 1'700'000'000'000ms);
    EXPECT_EQ(got->lock, "stock:42");
}

TEST(messages, report_that_a_lock_is_wanted)
{
    const auto got = read_message("wanted stock:42");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->what, kind::wanted);
    EXPECT_EQ(got->lock, "stock:42");
}

TEST(messages, report_a_broken_hold_with_a_reason_that_is_safe_to_show)
{
    const auto reason = [](const std::string& text) {
        const auto whole = "broken me stock:42" + std::string(1, '\0') + text;
        const auto got = read_message(whole);
        EXPECT_TRUE(got && got->what == kind::broken && got->lock == "stock:42");
        return got ? got->reason : "";
    };
    EXPECT_EQ(reason("it hangs, \xC3\xA9\xC2\xA0"), "it hangs, \xC3\xA9\xC2\xA0");
    EXPECT_EQ(reason("\x1B[2J\n\x7F" + std::string(1, '\0')), "?[2J???");
    EXPECT_EQ(reason("a\xC2\x9B"
                     "b\xC2\x80\xC2\x9F\xC2"),
              "a?b??\xC2");
    EXPECT_EQ(reason(std::string(1'001, 'x')), std::string(1'000, 'x'));
    EXPECT_EQ(reason(std::string(999, 'x') + "\xC3\xA9"), std::string(999, 'x'));
    EXPECT_EQ(reason(std::string(2'000, '\xA9')).size(), 997U);
}

TEST(messages, take_the_rest_as_the_name_with_any_bytes)
{
    for (const std::string name : {"two words", " first", "last ", " ", "  ", "a\r\nb", "\xFF",
                                   "grant me 1 1 x", "wanted"}) {
        const auto granted = "grant me 1 1000 " + name;
        const auto grant = read_message(granted);
        ASSERT_TRUE(grant) << name;
        EXPECT_EQ(grant->lock, name);
        const auto text = "wanted " + name;
        const auto wanted = read_message(text);
        ASSERT_TRUE(wanted) << name;
        EXPECT_EQ(wanted->lock, name);
    }
}

TEST(messages, that_are_invalid_are_refused)
{
    for (const std::string_view text : {"",
                                        " ",
                                        "grant",
                                        "grant ",
                                        "wanted",
                                        "wanted ",
                                        "Wanted a",
                                        " wanted a",
                                        "release a",
                                        "grant me",
                                        "grant me 1",
                                        "grant me 1 1",
                                        "grant me 1 1 ",
                                        "grant  1 1 a",
                                        "grant me  1 a",
                                        "grant me 0 1 a",
                                        "grant me -1 1 a",
                                        "grant me 1 0 a",
                                        "grant me 1 -1 a",
                                        "grant me x 1 a",
                                        "grant me 1x 1 a",
                                        "grant me 1.5 1 a",
                                        "grant me 1e3 1 a",
                                        "grant me +1 1 a",
                                        "grant me 1 99999999999999999999 a",
                                        "grant me 99999999999999999999 1 a"}) {
        EXPECT_FALSE(read_message(text)) << text;
    }
}

TEST(messages, come_through_a_channel_that_is_named_after_the_client)
{
    EXPECT_EQ(channel_of("0123456789abcdef"), "pawl:client:0123456789abcdef");
}

}  // namespace
}  // namespace pawl::store
