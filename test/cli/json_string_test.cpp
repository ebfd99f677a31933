// Text as a JSON string of the command's output.
#include "json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace pawl::cli {
namespace {

TEST(json_string, escapes_what_it_must)
{
    EXPECT_EQ(json_text(""), R"("")");
    EXPECT_EQ(json_text("a \"b\" \\ c"), R"("a \"b\" \\ c")");
    EXPECT_EQ(json_text("a\nb\x7f"), R"("a\u000ab\u007f")");
}

TEST(json_string, keeps_utf8_and_nothing_else_that_is_not_ascii)
{
    EXPECT_EQ(json_text("µ – 😀"), "\"µ – 😀\"");
    EXPECT_EQ(json_text("a\xffz"), "\"a?z\"");
    EXPECT_EQ(json_text("a\xc2"), "\"a?\"");
    EXPECT_EQ(json_text("\xe2\x80z"), "\"??z\"");
    EXPECT_EQ(json_text("\x80"), "\"?\"");
}

TEST(json_string, keeps_the_first_and_the_last_of_each_length)
{
    for (const char* const each :
         {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
          "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(json_text(each), '"' + std::string{each} + '"');
    }
}

TEST(json_string, keeps_no_sequence_that_looks_like_utf8_and_is_none)
{
    for (const char* const overlong : {"\xc0\x80", "\xc1\xbf"}) {
        EXPECT_EQ(json_text(overlong), "\"??\"");
    }
    for (const char* const overlong : {"\xe0\x80\x80", "\xe0\x9f\xbf"}) {
        EXPECT_EQ(json_text(overlong), "\"???\"");
    }
    EXPECT_EQ(json_text("\xf0\x8f\xbf\xbf"), "\"????\"");
    for (const char* const surrogate : {"\xed\xa0\x80", "\xed\xbf\xbf"}) {
        EXPECT_EQ(json_text(surrogate), "\"???\"");
    }
    for (const char* const too_large : {"\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
        EXPECT_EQ(json_text(too_large), "\"????\"");
    }
}

}  // namespace
}  // namespace pawl::cli
