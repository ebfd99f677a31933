// RESP: malformed bytes, and the limits of a reply.
#include "unit/resp_fixture.h"

#include <cstddef>
#include <limits>
#include <malloc.h>
#include <string_view>

namespace pawl::redis {
namespace {

TEST(resp, malformed_bytes_are_reported_with_their_position)
{
    const sample problems[] = {
        {"x", "byte 0: 'x' does not open a RESP value"},
        {"\r\n", "byte 0: '\\r' does not open a RESP value"},
        {std::string_view{"\0", 1}, "byte 0: '\\x00' does not open a RESP value"},
        {"\xff", "byte 0: '\\xff' does not open a RESP value"},
        {"'", "byte 0: '\\x27' does not open a RESP value"},
        {"*2\r\n:1\r\n?", "byte 8: '?' does not open a RESP value"},
        {"+a\nb\r\n", "byte 2: a line feed without a carriage return"},
        {"+a\rb\r\n", "byte 3: 'b' after a carriage return"},
        {"+a\r\r\n", "byte 3: '\\r' after a carriage return"},
        {":1\n", "byte 2: a line feed without a carriage return"},
        {":\r\n", "byte 1: \"\" is not an integer of 64 bits"},
        {":+\r\n", "byte 1: \"+\" is not an integer of 64 bits"},
        {":-\r\n", "byte 1: \"-\" is not an integer of 64 bits"},
        {":+-1\r\n", "byte 1: \"+-1\" is not an integer of 64 bits"},
        {":--1\r\n", "byte 1: \"--1\" is not an integer of 64 bits"},
        {": 1\r\n", "byte 1: \" 1\" is not an integer of 64 bits"},
        {":1 \r\n", "byte 1: \"1 \" is not an integer of 64 bits"},
        {":0x1\r\n", "byte 1: \"0x1\" is not an integer of 64 bits"},
        {":1.0\r\n", "byte 1: \"1.0\" is not an integer of 64 bits"},
        {":9223372036854775808\r\n",
         "byte 1: \"9223372036854775808\" is not an integer of 64 bits"},
        {":-9223372036854775809\r\n",
         "byte 1: \"-9223372036854775809\" is not an integer of 64 bits"},
        {":aaaaaaaaaabbbbbbbbbbccccccccccdddd\r\n",
         "byte 1: \"aaaaaaaaaabbbbbbbbbbccccccccccdd\"... is not an integer of 64 bits"},
        {"_x\r\n", "byte 1: \"x\" is not the empty rest of a null"},
        {"#\r\n", "byte 1: \"\" is not a boolean"},
        {"#T\r\n", "byte 1: \"T\" is not a boolean"},
        {"#tt\r\n", "byte 1: \"tt\" is not a boolean"},
        {",\r\n", "byte 1: \"\" is not a real number"},
        {",one\r\n", "byte 1: \"one\" is not a real number"},
        {",+-.e\r\n", "byte 1: \"+-.e\" is not a real number"},
        {",info\r\n", "byte 1: \"info\" is not a real number"},
        {"(\r\n", "byte 1: \"\" is not a big number"},
        {"(1e5\r\n", "byte 1: \"1e5\" is not a big number"},
        {"(--1\r\n", "byte 1: \"--1\" is not a big number"},
        {"$\r\n", "byte 1: \"\" is not a length"},
        {"$a\r\n", "byte 1: \"a\" is not a length"},
        {"$+1\r\n", "byte 1: \"+1\" is not a length"},
        {"$-0\r\n", "byte 1: \"-0\" is not a length"},
        {"$-2\r\n", "byte 1: \"-2\" is not a length"},
        {"$-01\r\n", "byte 1: \"-01\" is not a length"},
        {"$?\r\n", "byte 1: \"?\" is not a length"},
        {"*?\r\n", "byte 1: \"?\" is not a length"},
        {"*-2\r\n", "byte 1: \"-2\" is not a length"},
        {"!-1\r\n", "byte 1: \"-1\" is not a length"},
        {"=-1\r\n", "byte 1: \"-1\" is not a length"},
        {"%-1\r\n", "byte 1: \"-1\" is not a length"},
        {"~-1\r\n", "byte 1: \"-1\" is not a length"},
        {">-1\r\n", "byte 1: \"-1\" is not a length"},
        {"|-1\r\n", "byte 1: \"-1\" is not a length"},
        {"$1\r\nabc", "byte 5: \"bc\" after a string instead of CRLF"},
        {"$1\r\na\rb", "byte 5: \"\\rb\" after a string instead of CRLF"},
        {"$1\r\na\n\r", "byte 5: \"\\n\\r\" after a string instead of CRLF"},
        {"!1\r\nabc", "byte 5: \"bc\" after a string instead of CRLF"},
        {"=3\r\ntxt\r\n", "byte 1: a verbatim string too short for its format"},
        {"=5\r\ntxt;a\r\n", "byte 7: ';' after the format of a verbatim string"},
        {"=5\r\ntxt:abc", "byte 9: \"bc\" after a string instead of CRLF"},
        {"*1\r\n>1\r\n+a\r\n", "byte 4: a push within another value"},
        {"*1\r\n>0\r\n", "byte 4: a push within another value"},
        {"|1\r\n+a\r\n>0\r\n", "byte 8: a push within another value"},
        {"|1\r\n+a\r\nx", "byte 8: 'x' does not open a RESP value"},
        {"|1\r\n+a\r\n+b\r\nx", "byte 12: 'x' does not open a RESP value"},
        {".\r\n", "byte 0: '.' does not open a RESP value"},
    };
    for (const auto& problem : problems) {
        EXPECT_EQ(problem_of(problem.bytes), problem.text) << problem.bytes;
    }
}

TEST(resp, a_line_may_be_as_long_as_the_limit_and_no_longer)
{
    const resp_limits limits{.line_bytes = 8};
    EXPECT_EQ(parse_whole("+12345\r\n", limits).text, "+12345");
    EXPECT_EQ(parse_bytewise("+12345\r\n", limits).text, "+12345");
    EXPECT_EQ(parse_whole("+12345", limits).status, parse_status::more);
    EXPECT_EQ(problem_of("+123456", limits), "byte 0: a line of more than 8 bytes");
    EXPECT_EQ(problem_of("+123456\r\n", limits), "byte 0: a line of more than 8 bytes");
    EXPECT_EQ(problem_of("+12345678\n", limits), "byte 0: a line of more than 8 bytes");
    EXPECT_EQ(problem_of("+a\r\n", {.line_bytes = 0}), "byte 0: a line of more than 0 bytes");
}

TEST(resp, the_limit_of_a_line_does_not_apply_to_a_string)
{
    EXPECT_EQ(parse_whole("$9\r\n123456789\r\n", {.line_bytes = 8}).text, "$123456789");
}

TEST(resp, a_string_may_be_as_long_as_the_limit_and_no_longer)
{
    const resp_limits limits{.bulk_bytes = 5};
    EXPECT_EQ(parse_whole("$5\r\n12345\r\n", limits).text, "$12345");
    EXPECT_EQ(problem_of("$6\r\n", limits), "byte 1: a string of more than 5 bytes");
    EXPECT_EQ(problem_of("!6\r\n", limits), "byte 1: a string of more than 5 bytes");
    EXPECT_EQ(problem_of("=6\r\n", limits), "byte 1: a string of more than 5 bytes");
    EXPECT_EQ(problem_of("$18446744073709551615\r\n", limits),
              "byte 1: a string of more than 5 bytes");
    EXPECT_EQ(problem_of("$99999999999999999999999999\r\n", limits),
              "byte 1: a string of more than 5 bytes");
}

TEST(resp, without_a_limit_the_longest_length_waits)
{
    const auto most = std::numeric_limits<std::size_t>::max();
    const resp_limits limits{.bulk_bytes = most, .line_bytes = most, .nodes = most, .depth = most};
    for (const auto* const bytes : {"$18446744073709551615\r\nab\r\n", "*18446744073709551614\r\n",
                                    "%9223372036854775807\r\n", "|9223372036854775806\r\n"}) {
        EXPECT_EQ(parse_whole(bytes, limits).status, parse_status::more) << bytes;
    }
    for (const auto* const bytes :
         {"*18446744073709551615\r\n", "%9223372036854775808\r\n", "|9223372036854775807\r\n"}) {
        EXPECT_EQ(problem_of(bytes, limits),
                  "byte 1: more than 18446744073709551615 values in one reply");
    }
}

TEST(resp, a_reply_may_have_as_many_values_as_the_limit_and_no_more)
{
    const resp_limits limits{.nodes = 4};
    EXPECT_EQ(parse_whole("*3\r\n:1\r\n:2\r\n:3\r\n", limits).text, "*[:1 :2 :3]");
    EXPECT_EQ(parse_whole("*1\r\n*2\r\n:1\r\n:2\r\n", limits).text, "*[*[:1 :2]]");
    EXPECT_EQ(parse_whole("%1\r\n:1\r\n*1\r\n:2\r\n", limits).text, "%[:1 *[:2]]");
    EXPECT_EQ(parse_whole("|1\r\n:1\r\n:2\r\n:3\r\n", limits).text, ":3");
    EXPECT_EQ(problem_of("*4\r\n", limits), "byte 1: more than 4 values in one reply");
    EXPECT_EQ(problem_of("%2\r\n", limits), "byte 1: more than 4 values in one reply");
    EXPECT_EQ(problem_of("|2\r\n", limits), "byte 1: more than 4 values in one reply");
    EXPECT_EQ(problem_of("*1\r\n*3\r\n", limits), "byte 5: more than 4 values in one reply");
}

TEST(resp, announced_values_count_before_they_arrive)
{
    EXPECT_EQ(problem_of("*3\r\n*1\r\n", {.nodes = 4}), "byte 5: more than 4 values in one reply");
}

TEST(resp, the_limit_applies_to_each_reply_separately)
{
    reply_parser parser{{.nodes = 2}};
    for (int reply = 0; reply < 5; ++reply) {
        EXPECT_EQ(parser.parse("*1\r\n:1\r\n"), parse_status::complete) << parser.problem();
        parser.reset();
    }
}

TEST(resp, endless_attributes_are_too_many_values)
{
    const auto bytes = repeated("|0\r\n", 3) + ":1\r\n";
    EXPECT_EQ(parse_whole(bytes, {.nodes = 4}).text, ":1");
    EXPECT_EQ(problem_of(bytes, {.nodes = 3}), "byte 9: more than 3 values in one reply");
}

TEST(resp, one_value_is_always_allowed)
{
    EXPECT_EQ(parse_whole(":1\r\n", {.nodes = 0}).text, ":1");
    EXPECT_EQ(problem_of("*1\r\n:1\r\n", {.nodes = 0}), "byte 1: more than 1 values in one reply");
}

TEST(resp, aggregates_may_be_nested_as_deep_as_the_limit_and_no_deeper)
{
    const resp_limits limits{.depth = 3};
    EXPECT_EQ(parse_whole(repeated("*1\r\n", 3) + ":1\r\n", limits).text, "*[*[*[:1]]]");
    EXPECT_EQ(parse_whole(repeated("*1\r\n", 3) + "*-1\r\n", limits).text, "*[*[*[_]]]");
    for (const auto* const opener : {"*0\r\n", "*1\r\n", "%1\r\n", "~1\r\n", "|0\r\n", "|1\r\n"}) {
        EXPECT_EQ(problem_of(repeated("*1\r\n", 3) + opener, limits),
                  "byte 12: more than 3 nested aggregates");
    }
    EXPECT_EQ(problem_of(repeated("|1\r\n", 4), limits), "byte 12: more than 3 nested aggregates");
}

TEST(resp, depth_decreases_when_an_aggregate_ends)
{
    const auto bytes = "*3\r\n" + repeated("*1\r\n*1\r\n:1\r\n", 3);
    EXPECT_EQ(parse_whole(bytes, {.depth = 3}).text, "*[*[*[:1]] *[*[:1]] *[*[:1]]]");
}

TEST(resp, a_limit_may_forbid_all_aggregates)
{
    EXPECT_EQ(parse_whole(":1\r\n", {.depth = 0}).text, ":1");
    EXPECT_EQ(problem_of("*0\r\n", {.depth = 0}), "byte 0: more than 0 nested aggregates");
}

TEST(resp, children_take_memory_when_they_arrive_and_not_when_they_are_announced)
{
    const auto allocated = [] {
        const auto now = mallinfo2();
        return now.uordblks + now.hblkhd;
    };
    constexpr std::string_view bytes = "*1000000\r\n:1\r\n";
    reply_parser parser;
    const auto before = allocated();
    ASSERT_EQ(parser.parse(bytes), parse_status::more);
    EXPECT_LT(allocated() - before, 4096U);
}

}  // namespace
}  // namespace pawl::redis
