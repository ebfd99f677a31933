#include "unit/resp_fixture.h"

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pawl::redis {
namespace {

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
