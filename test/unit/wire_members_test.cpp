// The requests of the Redis store about objects that several holders may enter.
#include "store/redis/message.h"
#include "store/redis/place.h"
#include "store/redis/server_call.h"
#include "unit/wire_fixture.h"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pawl::store {
namespace {

using core::entry_mode;
using core::object_kind;

const std::string id = "p1234567890123456789012345678901";

class wire_members : public testing::Test {
protected:
    core::object writer_{.name = "a", .kind = object_kind::shared};
    core::object reader_{.name = "a", .kind = object_kind::shared, .mode = entry_mode::reader};
    core::object permits_{.name = "a", .kind = object_kind::permits, .permits = 2, .capacity = 5};
};

TEST_F(wire_members, a_holder_is_written_with_its_weight)
{
    const acquire_request request{.mine = {&reader_, id}, .lease = 30s, .fair = true};
    EXPECT_EQ(written(request),
              (word_list{"EVALSHA", std::string{redis::scripts::members_acquire.sha}, "3", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", id + "1", "0", "4",
                         "0000000000000s0000000000000000000030000", ""}));
    EXPECT_EQ(written(acquire_request{.mine = {&writer_, id}, .lease = 30s})[6], id + "1000000000");
    const auto permits = written(acquire_request{.mine = {&permits_, id}, .lease = 30s});
    EXPECT_EQ(permits[6], id + "2");
    EXPECT_EQ(permits[9], "0000000000000x0000000000000000000030000");
    EXPECT_EQ(permits[10], "5");
}

TEST_F(wire_members, an_exchange_names_the_holder_that_leaves)
{
    const acquire_request request{
        .mine = {&reader_, id}, .lease = 30s, .instead_of = core::claim{&writer_, "old"}};
    const auto words = written(request);
    EXPECT_EQ(words[1], redis::scripts::members_exchange.sha);
    EXPECT_EQ(from(words, 10), (word_list{"", "old1000000000"}));
}

TEST_F(wire_members, a_release_contains_the_capacity)
{
    EXPECT_EQ(from(written(core::release_request{.mine = {&permits_, id}}), 1),
              (word_list{std::string{redis::scripts::members_release.sha}, "3", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", id + "2", "5", ""}));
}

TEST_F(wire_members, checks_and_renewals_name_the_member)
{
    EXPECT_EQ(from(written(core::check_request{.mine = {&reader_, id}}), 1),
              (word_list{std::string{redis::scripts::members_check.sha}, "1", "a", id + "1"}));
    const std::vector<core::extend_request> all{{{&reader_, id}, 30s}, {{&permits_, id}, 5s}};
    EXPECT_EQ(from(written(std::span{all}), 1),
              (word_list{std::string{redis::scripts::members_renew.sha}, "2", "a", "a", id + "1",
                         "30000", id + "2", "5000"}));
}

TEST_F(wire_members, replies_that_only_these_objects_have)
{
    const acquire_request request{.mine = {&permits_, id}, .lease = 30s};
    const auto other = std::get<failure>(read_text(request, bulk("-4 7 1700000000000000")));
    EXPECT_EQ(other.what, failure_kind::refused);
    EXPECT_EQ(
        other.detail,
        "the capacity at the server is 7, and this caller gave 5: all callers must give the same");
    const auto many = std::get<failure>(read_text(request, bulk("-5 1 1700000000000000")));
    EXPECT_EQ(many.detail, "2 permits are more than the capacity, 1");
    const auto kind = std::get<failure>(read_text(request, bulk("-6 0 1700000000000000")));
    EXPECT_EQ(kind.what, failure_kind::not_a_lock);
    EXPECT_EQ(kind.detail, "it is a shared_mutex");
    const acquire_request read{.mine = {&reader_, id}, .lease = 30s};
    EXPECT_EQ(std::get<failure>(read_text(read, bulk("-6 0 1700000000000000"))).detail,
              "it is a counting_semaphore");
    EXPECT_EQ(failure_of_reply(read_text(request, bulk("-7 0 1700000000000000"))),
              failure_kind::gone);
}

TEST_F(wire_members, a_resize_names_all_keys_and_no_holder)
{
    core::resize_request request{.what = &permits_, .capacity = 7};
    word_list words{"EVALSHA",
                    std::string{redis::scripts::members_resize.sha},
                    "3",
                    "a",
                    "pawl:fence:{a}",
                    "pawl:queue:{a}",
                    "",
                    "7"};
    words.emplace_back("");
    EXPECT_EQ(written(request), words);
    request.after = 1'700'000'000'000'000;
    words.back() = "1700000000000000";
    EXPECT_EQ(written(request), words);
}

TEST_F(wire_members, replies_to_a_resize)
{
    const core::resize_request request{.what = &permits_, .capacity = 7};
    const auto resized = [&](const std::string& text) {
        return std::get<core::resized>(read_text(request, bulk(text)));
    };
    EXPECT_EQ(resized("0 0").number, 0U);
    EXPECT_FALSE(resized("0 0").is_set);
    EXPECT_EQ(resized("1 1700000000000000").number, 1'700'000'000'000'000U);
    EXPECT_TRUE(resized("1 1700000000000000").is_set);
    const auto why = [&](const std::string& text) {
        return failure_of_reply(read_text(request, text));
    };
    EXPECT_EQ(why(bulk("-2 0")), failure_kind::not_a_lock);
    EXPECT_EQ(why("-WRONGTYPE Operation\r\n"), failure_kind::not_a_lock);
    EXPECT_EQ(why("-NOPERM no\r\n"), failure_kind::refused);
    EXPECT_EQ(why(":1\r\n"), failure_kind::refused);
    EXPECT_EQ(why(bulk("1 -1")), failure_kind::refused);
    EXPECT_EQ(why(bulk("2 1")), failure_kind::refused);
}

TEST_F(wire_members, a_message_about_a_grant_names_the_holder_without_its_weight)
{
    EXPECT_EQ(read_message("grant " + id + "1000000000 5 1700000000000000 a")->holder, id);
    EXPECT_EQ(read_message("grant " + id + "1 5 1700000000000000 a")->holder, id);
    const std::string lingers = id + "0123456789abcdef";
    EXPECT_EQ(read_message("grant " + lingers + " 5 1700000000000000 a")->holder, lingers);
}

}  // namespace
}  // namespace pawl::store
