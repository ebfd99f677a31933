#include "redis/resp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <malloc.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::redis {
namespace {

// A reply in one line: the type byte of each value, then its text, number or children.
std::string shown(reply_view reply)
{
    std::string out{static_cast<char>(reply.type())};
    if (!reply.is_aggregate()) {
        const bool has_number =
            reply.type() == resp_type::integer || reply.type() == resp_type::boolean;
        return out.append(has_number ? std::to_string(reply.integer()) : std::string{reply.text()});
    }
    out += '[';
    for (std::size_t child = 0; child < reply.size(); ++child) {
        out.append(child > 0 ? " " : "").append(shown(reply[child]));
    }
    return out += ']';
}

struct outcome {
    parse_status status{};
    std::size_t consumed = 0;
    std::string text;  // the reply, or the problem

    bool operator==(const outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const outcome& result)
{
    return out << "status " << static_cast<int>(result.status) << ", " << result.consumed
               << " bytes, " << result.text;
}

outcome outcome_of(const reply_parser& parser, parse_status status, std::string_view buffer)
{
    switch (status) {
    case parse_status::complete: return {status, parser.consumed(), shown(parser.reply(buffer))};
    case parse_status::malformed: return {status, 0, parser.problem()};
    case parse_status::more: break;
    }
    return {status, 0, {}};
}

outcome parse_whole(std::string_view bytes, resp_limits limits = {})
{
    reply_parser parser{limits};
    const auto status = parser.parse(bytes);
    return outcome_of(parser, status, bytes);
}

outcome parse_bytewise(std::string_view bytes, resp_limits limits = {})
{
    reply_parser parser{limits};
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto status = parser.parse(bytes.substr(0, size));
        if (status != parse_status::more) {
            return outcome_of(parser, status, bytes.substr(0, size));
        }
    }
    const auto status = parser.parse(bytes);
    return outcome_of(parser, status, bytes);
}

outcome read(std::string_view bytes, std::string text)
{
    return {parse_status::complete, bytes.size(), std::move(text)};
}

std::string problem_of(std::string_view bytes, resp_limits limits = {})
{
    const auto whole = parse_whole(bytes, limits);
    EXPECT_EQ(whole, parse_bytewise(bytes, limits));
    EXPECT_EQ(whole.status, parse_status::malformed);
    return whole.text;
}

std::string repeated(std::string_view text, std::size_t times)
{
    std::string out;
    for (; times > 0; --times) {
        out += text;
    }
    return out;
}

struct sample {
    std::string_view bytes;
    std::string_view text;
};

const sample samples[] = {
    {"+OK\r\n", "+OK"},
    {"+\r\n", "+"},
    {"-NOSCRIPT No matching script.\r\n", "-NOSCRIPT No matching script."},
    {":0\r\n", ":0"},
    {":-17\r\n", ":-17"},
    {":+17\r\n", ":17"},
    {":007\r\n", ":7"},
    {":9223372036854775807\r\n", ":9223372036854775807"},
    {":-9223372036854775808\r\n", ":-9223372036854775808"},
    {"$5\r\nhello\r\n", "$hello"},
    {"$0\r\n\r\n", "$"},
    {"$4\r\n\r\n\r\n\r\n", "$\r\n\r\n"},
    {"$-1\r\n", "_"},
    {"*-1\r\n", "_"},
    {"_\r\n", "_"},
    {"#t\r\n", "#1"},
    {"#f\r\n", "#0"},
    {",1.5e-3\r\n", ",1.5e-3"},
    {",10\r\n", ",10"},
    {",inf\r\n", ",inf"},
    {",-inf\r\n", ",-inf"},
    {",nan\r\n", ",nan"},
    {"(3492890328409238509324850943850943825024385\r\n",
     "(3492890328409238509324850943850943825024385"},
    {"(-1\r\n", "(-1"},
    {"!8\r\nERR a\r\nb\r\n", "!ERR a\r\nb"},
    {"=8\r\ntxt:text\r\n", "=text"},
    {"=4\r\nmkd:\r\n", "="},
    {"*0\r\n", "*[]"},
    {"*3\r\n:1\r\n$-1\r\n+a\r\n", "*[:1 _ +a]"},
    {"*2\r\n*2\r\n:1\r\n*0\r\n*1\r\n$1\r\nx\r\n", "*[*[:1 *[]] *[$x]]"},
    {"%2\r\n+a\r\n:1\r\n+b\r\n%0\r\n", "%[+a :1 +b %[]]"},
    {"~2\r\n:1\r\n:2\r\n", "~[:1 :2]"},
    {">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n", ">[$message $c $hi]"},
    {"|1\r\n+ttl\r\n:3600\r\n:7\r\n", ":7"},
    {"|0\r\n+a\r\n", "+a"},
    {"|1\r\n+a\r\n*2\r\n:1\r\n%1\r\n+b\r\n$1\r\nc\r\n|1\r\n+d\r\n_\r\n*1\r\n:1\r\n", "*[:1]"},
    {"*2\r\n:1\r\n|1\r\n+a\r\n:0\r\n:2\r\n", "*[:1 :2]"},
    {"*2\r\n|1\r\n|1\r\n+in\r\n+in\r\n+a\r\n*1\r\n:0\r\n*1\r\n:1\r\n:2\r\n", "*[*[:1] :2]"},
    {"|1\r\n+a\r\n:1\r\n>1\r\n+p\r\n", ">[+p]"},
};

TEST(resp, every_kind_of_value_is_read)
{
    for (const auto& sample : samples) {
        EXPECT_EQ(parse_whole(sample.bytes), read(sample.bytes, std::string{sample.text}));
    }
}

TEST(resp, a_reply_split_at_any_byte_is_continued)
{
    for (const auto& sample : samples) {
        for (std::size_t cut = 0; cut < sample.bytes.size(); ++cut) {
            reply_parser parser;
            ASSERT_EQ(parser.parse(sample.bytes.substr(0, cut)), parse_status::more)
                << sample.bytes << " at " << cut;
            ASSERT_EQ(parser.parse(sample.bytes), parse_status::complete);
            EXPECT_EQ(shown(parser.reply(sample.bytes)), sample.text);
            EXPECT_EQ(parser.consumed(), sample.bytes.size());
        }
    }
}

TEST(resp, a_reply_is_read_byte_by_byte)
{
    for (const auto& sample : samples) {
        EXPECT_EQ(parse_bytewise(sample.bytes), read(sample.bytes, std::string{sample.text}));
    }
}

TEST(resp, an_empty_buffer_asks_for_more)
{
    EXPECT_EQ(parse_whole("").status, parse_status::more);
}

TEST(resp, a_reply_does_not_consume_the_bytes_after_it)
{
    for (const auto& sample : samples) {
        for (const auto* const next : {"+next\r\n", "garbage", "\r\n"}) {
            const auto result = parse_whole(std::string{sample.bytes} + next);
            EXPECT_EQ(result, read(sample.bytes, std::string{sample.text}));
        }
    }
}

TEST(resp, one_parser_reads_reply_after_reply)
{
    std::string buffer;
    for (const auto& sample : samples) {
        buffer += sample.bytes;
    }
    reply_parser parser;
    std::string_view rest = buffer;
    for (const auto& sample : samples) {
        ASSERT_EQ(parser.parse(rest), parse_status::complete);
        EXPECT_EQ(shown(parser.reply(rest)), sample.text);
        rest.remove_prefix(parser.consumed());
        parser.reset();
    }
    EXPECT_TRUE(rest.empty());
}

TEST(resp, a_result_stays_until_the_parser_is_reset)
{
    reply_parser parser;
    ASSERT_EQ(parser.parse(":1\r\n"), parse_status::complete);
    EXPECT_EQ(parser.parse(":1\r\n:2\r\n"), parse_status::complete);
    EXPECT_EQ(parser.consumed(), 4U);

    parser.reset();
    ASSERT_EQ(parser.parse("x"), parse_status::malformed);
    EXPECT_EQ(parser.parse("x+OK\r\n"), parse_status::malformed);
    EXPECT_EQ(parser.problem(), "byte 0: 'x' does not open a RESP value");

    parser.reset();
    EXPECT_EQ(parser.parse("+OK\r\n"), parse_status::complete);
    EXPECT_EQ(parser.problem(), "");
}

TEST(resp, a_parser_can_be_reset_at_any_point)
{
    for (const auto& sample : samples) {
        for (std::size_t cut = 0; cut < sample.bytes.size(); ++cut) {
            reply_parser parser;
            ASSERT_EQ(parser.parse(sample.bytes.substr(0, cut)), parse_status::more);
            parser.reset();
            ASSERT_EQ(parser.parse("*1\r\n:5\r\n"), parse_status::complete);
            EXPECT_EQ(shown(parser.reply("*1\r\n:5\r\n")), "*[:5]");
        }
    }
}

// The bytes that were already seen are overwritten between two calls, so that reading them again
// fails.
TEST(resp, parsed_bytes_are_not_read_again)
{
    std::string buffer = "*2\r\n:1\r\n+hello";
    reply_parser parser;
    ASSERT_EQ(parser.parse(buffer), parse_status::more);
    buffer.replace(0, 8, "xxxxxxxx");
    buffer += " world\r\n";
    ASSERT_EQ(parser.parse(buffer), parse_status::complete);
    EXPECT_EQ(shown(parser.reply(buffer)), "*[:1 +hello world]");
}

TEST(resp, a_line_is_not_searched_twice_for_its_end)
{
    std::string buffer = "+hello";
    reply_parser parser;
    ASSERT_EQ(parser.parse(buffer), parse_status::more);
    buffer[3] = '\n';
    buffer += "!\r\n";
    EXPECT_EQ(parser.parse(buffer), parse_status::complete);
}

TEST(resp, the_length_of_a_string_is_read_once)
{
    std::string buffer = "$5\r\nhel";
    reply_parser parser;
    ASSERT_EQ(parser.parse(buffer), parse_status::more);
    buffer.replace(0, 4, "xxxx");
    buffer += "lo\r\n";
    ASSERT_EQ(parser.parse(buffer), parse_status::complete);
    EXPECT_EQ(parser.reply(buffer).text(), "hello");
}

TEST(resp, a_reply_is_seen_in_a_copy_of_its_bytes)
{
    std::string buffer = "*2\r\n$1\r\na\r\n+b\r\n";
    reply_parser parser;
    ASSERT_EQ(parser.parse(buffer), parse_status::complete);
    const std::string copy = buffer;
    buffer.assign(buffer.size(), 'x');
    EXPECT_EQ(shown(parser.reply(copy)), "*[$a +b]");
}

TEST(resp, a_view_distinguishes_errors_nulls_and_aggregates)
{
    struct kind {
        std::string_view bytes;
        bool error, null, aggregate;
    };
    const kind kinds[] = {
        {"+a\r\n", false, false, false},          {"-a\r\n", true, false, false},
        {"!1\r\na\r\n", true, false, false},      {"$1\r\na\r\n", false, false, false},
        {"=5\r\ntxt:a\r\n", false, false, false}, {":1\r\n", false, false, false},
        {"#t\r\n", false, false, false},          {",1\r\n", false, false, false},
        {"(1\r\n", false, false, false},          {"_\r\n", false, true, false},
        {"$-1\r\n", false, true, false},          {"*-1\r\n", false, true, false},
        {"*0\r\n", false, false, true},           {"%0\r\n", false, false, true},
        {"~0\r\n", false, false, true},           {">0\r\n", false, false, true},
    };
    for (const auto& kind : kinds) {
        reply_parser parser;
        ASSERT_EQ(parser.parse(kind.bytes), parse_status::complete);
        const auto reply = parser.reply(kind.bytes);
        EXPECT_EQ(reply.is_error(), kind.error) << kind.bytes;
        EXPECT_EQ(reply.is_null(), kind.null) << kind.bytes;
        EXPECT_EQ(reply.is_aggregate(), kind.aggregate) << kind.bytes;
    }
}

TEST(resp, a_view_returns_empty_values_for_other_types)
{
    reply_parser parser;
    const std::string_view bytes = "*4\r\n:5\r\n$3\r\n123\r\n_\r\n*1\r\n:1\r\n";
    ASSERT_EQ(parser.parse(bytes), parse_status::complete);
    const auto reply = parser.reply(bytes);
    EXPECT_EQ(reply.text(), "");
    EXPECT_EQ(reply.integer(), 0);
    EXPECT_EQ(reply[0].text(), "");
    EXPECT_EQ(reply[0].size(), 0U);
    EXPECT_EQ(reply[1].integer(), 0);
    EXPECT_EQ(reply[1].size(), 0U);
    EXPECT_EQ(reply[2].text(), "");
    EXPECT_EQ(reply[2].integer(), 0);
    EXPECT_EQ(reply[3][0].integer(), 1);
}

TEST(resp, a_child_that_does_not_exist_is_refused)
{
    reply_parser parser;
    const std::string_view bytes = "*2\r\n*0\r\n:1\r\n";
    ASSERT_EQ(parser.parse(bytes), parse_status::complete);
    const auto reply = parser.reply(bytes);
    EXPECT_EQ(reply[1].integer(), 1);
    EXPECT_THROW(static_cast<void>(reply[2]), std::out_of_range);
    EXPECT_THROW(static_cast<void>(reply[0][0]), std::out_of_range);
    EXPECT_THROW(static_cast<void>(reply[1][0]), std::out_of_range);
}

TEST(resp, each_child_is_visited_in_turn)
{
    reply_parser parser;
    const std::string_view bytes = "*3\r\n*2\r\n:1\r\n:2\r\n+a\r\n*0\r\n";
    ASSERT_EQ(parser.parse(bytes), parse_status::complete);
    std::string visited;
    parser.reply(bytes).for_each([&](reply_view child) { visited += shown(child) + ' '; });
    EXPECT_EQ(visited, "*[:1 :2] +a *[] ");
    parser.reply(bytes)[1].for_each([](reply_view) { FAIL() << "a leaf has no children"; });
}

TEST(resp, a_verbatim_string_is_seen_without_its_format)
{
    reply_parser parser;
    const std::string_view bytes = "=8\r\ntxt:a:b\n\r\n";
    ASSERT_EQ(parser.parse(bytes), parse_status::complete);
    EXPECT_EQ(parser.reply(bytes).text(), "a:b\n");
}

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

TEST(resp, a_request_is_an_array_of_bulk_strings)
{
    std::string out = "before";
    const std::string_view words[] = {"SET", "key", "", "a\r\nb"};
    append_request(out, words);
    EXPECT_EQ(out, "before*4\r\n$3\r\nSET\r\n$3\r\nkey\r\n$0\r\n\r\n$4\r\na\r\nb\r\n");
}

TEST(resp, a_request_is_read_back_as_it_was_written)
{
    std::string every_byte;
    for (int byte = 0; byte < 256; ++byte) {
        every_byte += static_cast<char>(byte);
    }
    const std::string longest(100'000, 'x');
    const std::string_view words[] = {"EVALSHA", every_byte, "", longest};
    std::string out;
    append_request(out, words);
    reply_parser parser;
    ASSERT_EQ(parser.parse(out), parse_status::complete);
    EXPECT_EQ(parser.consumed(), out.size());
    const auto reply = parser.reply(out);
    ASSERT_EQ(reply.size(), std::size(words));
    for (std::size_t word = 0; word < std::size(words); ++word) {
        EXPECT_EQ(reply[word].type(), resp_type::bulk);
        EXPECT_EQ(reply[word].text(), words[word]);
    }
}

}  // namespace
}  // namespace pawl::redis
