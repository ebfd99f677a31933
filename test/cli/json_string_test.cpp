// Text as a JSON string of the command's output.
#include "json_text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pawl::cli
