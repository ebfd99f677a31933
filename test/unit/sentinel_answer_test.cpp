#include "store/sentinel/answer.h"

#include <gtest/gtest.h>

#include <string>

namespace pawl::store {
namespace {

using kind = sentinel_answer::kind;

// The answer after these two replies.
sentinel_answer read(const std::string& first, const std::string& second)
{
    answer_reader reader;
    for (const auto* bytes : {&first, &second}) {
        redis::reply_parser parser;
        EXPECT_EQ(parser.parse(*bytes), redis::parse_status::complete);
        EXPECT_EQ(reader.on_reply(parser.reply(*bytes)), bytes == &second);
    }
    return reader.take();
}

const std::string epoch_7 = "%2\r\n$2\r\nip\r\n$1\r\na\r\n$12\r\nconfig-epoch\r\n$1\r\n7\r\n";
const std::string no_service = "-ERR No such master with that name\r\n";
const std::string address = "*2\r\n$9\r\n127.0.0.1\r\n$4\r\n7001\r\n";

TEST(sentinel_answer, names_the_primary_and_its_epoch)
{
    const sentinel_answer wanted{.what = kind::primary, .primary = {"127.0.0.1", 7001}, .epoch = 7};
    EXPECT_EQ(read(epoch_7, address), wanted);
}

TEST(sentinel_answer, may_be_in_resp2)
{
    const auto flat = "*4\r\n$2\r\nip\r\n$1\r\na\r\n$12\r\nconfig-epoch\r\n$1\r\n7\r\n";
    EXPECT_EQ(read(flat, address), read(epoch_7, address));
    EXPECT_EQ(read(no_service, "*-1\r\n").what, kind::unknown_service);
}

TEST(sentinel_answer, says_that_the_service_is_unknown)
{
    EXPECT_EQ(read(no_service, "_\r\n").what, kind::unknown_service);
    EXPECT_EQ(read("-ERR No such primary with that name\r\n", "_\r\n").what, kind::unknown_service);
}

TEST(sentinel_answer, without_an_epoch_is_no_answer_about_the_primary)
{
    EXPECT_EQ(read(no_service, address).what, kind::unknown_service);
    for (const auto* const bad :
         {"%0\r\n", "*0\r\n", "$2\r\nhi\r\n", ":1\r\n", "_\r\n",
          "%1\r\n$12\r\nconfig-epoch\r\n$2\r\n-1\r\n", "%1\r\n$12\r\nconfig-epoch\r\n$2\r\n7x\r\n",
          "*1\r\n$12\r\nconfig-epoch\r\n"}) {
        const auto got = read(bad, address);
        EXPECT_EQ(got.what, kind::refused) << bad;
        EXPECT_TRUE(got.detail.starts_with("unexpected reply")) << got.detail;
    }
}

TEST(sentinel_answer, with_a_malformed_address_is_refused)
{
    for (const auto* const bad : {"*0\r\n", "*1\r\n$1\r\na\r\n", "*2\r\n$1\r\na\r\n$1\r\n0\r\n",
                                  "*2\r\n$1\r\na\r\n$5\r\n70000\r\n",
                                  "*2\r\n$0\r\n\r\n$4\r\n7001\r\n", "*2\r\n$1\r\na\r\n$2\r\n7x\r\n",
                                  "$1\r\na\r\n", "*3\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\n2\r\n"}) {
        const auto got = read(epoch_7, bad);
        EXPECT_EQ(got.what, kind::refused) << bad;
        EXPECT_TRUE(got.detail.starts_with("unexpected reply")) << got.detail;
    }
}

TEST(sentinel_answer, shows_why_a_command_was_refused)
{
    const auto first = read("-NOPERM no permission for 'sentinel|master'\r\n", address);
    EXPECT_EQ(first.what, kind::refused);
    EXPECT_TRUE(first.detail.starts_with("NOPERM")) << first.detail;
    const auto second = read(epoch_7, "-NOPERM no permission\r\n");
    EXPECT_EQ(second.what, kind::refused);
}

TEST(sentinel_answer, of_a_broken_connection_is_none)
{
    const auto got = answer_of({redis::failure_kind::nobody_listens, "connection refused"});
    EXPECT_EQ(got.what, kind::no_answer);
    EXPECT_TRUE(got.nobody_listens);
    EXPECT_EQ(answer_of({redis::failure_kind::refused, "NOAUTH"}).what, kind::refused);
}

TEST(sentinel_answer, asks_for_the_epoch_before_the_address)
{
    std::string out;
    append_question(out, "job");
    EXPECT_EQ(out,
              "*3\r\n$8\r\nSENTINEL\r\n$6\r\nMASTER\r\n$3\r\njob\r\n"
              "*3\r\n$8\r\nSENTINEL\r\n$23\r\nGET-MASTER-ADDR-BY-NAME\r\n$3\r\njob\r\n");
}

TEST(switch_message, is_about_the_service_that_it_begins_with)
{
    EXPECT_TRUE(is_about("job 127.0.0.1 1 127.0.0.1 2", "job"));
    EXPECT_FALSE(is_about("job2 127.0.0.1 1 127.0.0.1 2", "job"));
    EXPECT_FALSE(is_about("other 127.0.0.1 1 127.0.0.1 2", "job"));
    EXPECT_FALSE(is_about("job", "job"));
    EXPECT_FALSE(is_about("", "job"));
}

}  // namespace
}  // namespace pawl::store
