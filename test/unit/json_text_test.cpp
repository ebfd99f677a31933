#include "base/json_text.h"

#include <gtest/gtest.h>

namespace pawl::base {
namespace {

const std::string broken = "\xEF\xBF\xBD";  // U+FFFD

TEST(json_text, is_in_quotes)
{
    EXPECT_EQ(json_text(""), R"("")");
    EXPECT_EQ(json_text("stock:42 {a}/b"), R"("stock:42 {a}/b")");
}

TEST(json_text, escapes_the_characters_that_need_it)
{
    EXPECT_EQ(json_text("say \"a\\b\""), R"("say \"a\\b\"")");
    EXPECT_EQ(json_text("a\nb\tc\r"), R"("a\u000ab\u0009c\u000d")");
    EXPECT_EQ(json_text(std::string_view{"\0\x1f\x7f", 3}), R"("\u0000\u001f\u007f")");
}

TEST(json_text, does_not_change_utf8)
{
    for (const std::string text :
         {"Größe", "倉庫", "\xF0\x9F\x94\x92", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
          "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_EQ(json_text(text), '"' + text + '"');
    }
}

TEST(json_text, replaces_each_byte_that_is_not_utf8)
{
    EXPECT_EQ(json_text("\xFF\xFE"), '"' + broken + broken + '"');
    EXPECT_EQ(json_text("a\x80z"), "\"a" + broken + "z\"")
        << "a continuation byte without a first byte";
    EXPECT_EQ(json_text("\xC3"), '"' + broken + '"') << "cut off";
    EXPECT_EQ(json_text("\xE5\x80\""), '"' + broken + broken + R"(\"")")
        << "incomplete before a quote";
    EXPECT_EQ(json_text("\xF0\x9F\x94"), '"' + broken + broken + broken + '"');
}

TEST(json_text, replaces_the_forms_that_utf8_forbids)
{
    for (const std::string_view overlong : {"\xC0\x80", "\xC1\xBF"}) {
        EXPECT_EQ(json_text(overlong), '"' + broken + broken + '"');
    }
    for (const std::string_view three : {"\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF"}) {
        EXPECT_EQ(json_text(three), '"' + broken + broken + broken + '"');
    }
    for (const std::string_view four :
         {"\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"}) {
        EXPECT_EQ(json_text(four), '"' + broken + broken + broken + broken + '"');
    }
}

// Every escape is six or two ASCII characters, so the check is simple.
TEST(json_text, contains_no_unescaped_quote_or_control_byte)
{
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    const auto text = json_text(all);
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        EXPECT_GE(static_cast<unsigned char>(text[i]), 0x20);
        EXPECT_NE(text[i], '"') << "at " << i;
        if (text[i] == '\\') ++i;  // skips the escaped character
    }
}

}  // namespace
}  // namespace pawl::base
