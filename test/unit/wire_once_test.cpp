// The requests of the Redis store about a once_per.
#include "base/platform.h"
#include "store/redis/once_verb.h"
#include "store/redis/server_call.h"
#include "unit/wire_fixture.h"

#include <string>
#include <variant>

namespace pawl::store {
namespace {

class wire_once : public testing::Test {
protected:
    [[nodiscard]] acquire_request begin() const { return {.mine = {&report_, "me"}, .lease = 30s}; }

    core::object report_{.name = "a", .kind = core::object_kind::once, .period = 1h};
    core::object nightly_{.name = "a",
                          .kind = core::object_kind::once,
                          .period = 24h,
                          .aligned = true,
                          .retries = true};
};

TEST_F(wire_once, a_begin_has_the_mark_and_the_period)
{
    EXPECT_EQ(written(begin()),
              (word_list{"EVALSHA", std::string{redis::scripts::once_acquire.sha}, "4", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "pawl:mark:{a}", "me", "0", "0",
                         "0000000000000x0000000000000000000030000", "3600000", "", "once"}));
    EXPECT_EQ(from(written(acquire_request{.mine = {&nightly_, "me"}}), 11),
              (word_list{"86400000", "1", "retry"}));
}

TEST_F(wire_once, an_end_says_whether_the_period_is_used_up)
{
    EXPECT_EQ(written(core::release_request{.mine = {&report_, "me"}, .used = 7, .used_up = true}),
              (word_list{"EVALSHA", std::string{redis::scripts::once_release.sha}, "4", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "pawl:mark:{a}", "me", "7", "", "1"}));
    EXPECT_EQ(from(written(core::release_request{.mine = {&nightly_, "me"}}), 7),
              (word_list{"me", "0", "", ""}));
}

TEST_F(wire_once, a_run_is_renewed_and_checked_as_a_plain_lock)
{
    const core::check_request check{.mine = {&report_, "me"}};
    EXPECT_EQ(written(check)[1], redis::scripts::plain_check.sha);
    const core::extend_request extend{.mine = {&report_, "me"}, .lease = 30s};
    std::string out;
    append(out, std::span{&extend, 1}, usual);
    EXPECT_EQ(words_of(out)[1], redis::scripts::plain_renew.sha);
}

TEST_F(wire_once, replies_to_a_begin)
{
    const auto begun =
        std::get<core::granted>(read_text(begin(), bulk("1 1700000000000001 1700000000000000")));
    EXPECT_FALSE(begun.hint) << "a run is never begun by a bare acquire";
    EXPECT_TRUE(
        std::holds_alternative<core::busy>(read_text(begin(), bulk("0 500 1700000000000000"))));
    const auto late = std::get<failure>(read_text(begin(), bulk("-8 3500 1700000000000000")));
    EXPECT_EQ(late.what, failure_kind::not_due);
    EXPECT_EQ(late.detail, "for another 4 s");
    EXPECT_FALSE(late.maybe_executed);
    EXPECT_EQ(std::get<failure>(read_text(begin(), bulk("-8 -1 1700000000000000"))).detail,
              "its mark has no expiry");
}

TEST_F(wire_once, the_question_when_it_is_due)
{
    const core::due_request asked{.what = &report_};
    EXPECT_EQ(written(asked), (word_list{"EVALSHA", std::string{redis::scripts::once_due.sha}, "1",
                                         "pawl:mark:{a}"}));
    EXPECT_EQ(std::get<core::due>(read_text(asked, ":3500\r\n")).in, 3500ms);
    EXPECT_EQ(std::get<core::due>(read_text(asked, ":0\r\n")).in, 0ms);
    EXPECT_FALSE(std::get<core::due>(read_text(asked, ":-1\r\n")).in);
    EXPECT_EQ(failure_of_reply(read_text(asked, bulk("hello"))), failure_kind::refused);
    EXPECT_EQ(failure_of_reply(read_text(asked, "-WRONGTYPE no\r\n")), failure_kind::not_a_lock);
}

TEST_F(wire_once, a_begin_and_the_question_start_a_local_server)
{
    server_memory memory{.clock = server_clock{0}};
    const base::system_platform platform;
    const auto starts = [&](const core::request& what) {
        auto call = make_call(what, memory, platform);
        return call_in(call).may_start_server();
    };
    EXPECT_TRUE(starts(begin()));
    EXPECT_TRUE(starts(core::exchange_request{core::due_request{.what = &report_}}));
    EXPECT_FALSE(starts(core::exchange_request{core::release_request{.mine = {&report_, "me"}}}));
}

}  // namespace
}  // namespace pawl::store
