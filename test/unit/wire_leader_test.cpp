// The requests of the Redis store about a leader.
#include "core/candidate.h"
#include "store/redis/leader_verbs.h"
#include "unit/wire_fixture.h"

#include <string>
#include <variant>

namespace pawl::store {
namespace {

using core::object_kind;

class wire_leader : public testing::Test {
protected:
    [[nodiscard]] core::yield_request yielding() const
    {
        return {.mine = {&leader_, "me"}, .used = 5, .candidate = "you", .number = 7};
    }
    [[nodiscard]] static std::string sha(const redis::script& which)
    {
        return std::string{which.sha};
    }

    core::object leader_{.name = "a",
                         .kind = object_kind::leader,
                         .candidate = core::candidate_text({"node 7", "10.0.0.7"})};
    core::object watch_{.name = "a", .kind = object_kind::watch, .seen = 17};
};

TEST_F(wire_leader, a_campaign_has_the_candidate_in_its_place)
{
    const acquire_request asked{.mine = {&leader_, "me"}, .lease = 30s, .fair = true};
    const std::string place{"0000000000000x0000000000000000000030000 node 7\00010.0.0.7", 55};
    EXPECT_EQ(written(asked),
              (word_list{"EVALSHA", sha(redis::scripts::term_acquire), "4", "a", "pawl:fence:{a}",
                         "pawl:queue:{a}", "pawl:watch:{a}", "me", "0", "4", place}));
}

TEST_F(wire_leader, a_leader_resigns_with_all_its_keys)
{
    EXPECT_EQ(written(core::release_request{.mine = {&leader_, "me"}, .used = 5}),
              (word_list{"EVALSHA", sha(redis::scripts::term_release), "4", "a", "pawl:fence:{a}",
                         "pawl:queue:{a}", "pawl:watch:{a}", "me", "5"}));
}

TEST_F(wire_leader, a_yield_has_a_name_and_a_number)
{
    EXPECT_EQ(written(yielding()),
              (word_list{"EVALSHA", sha(redis::scripts::term_yield), "4", "a", "pawl:fence:{a}",
                         "pawl:queue:{a}", "pawl:watch:{a}", "me", "5", "", "you", "7"}));
}

TEST_F(wire_leader, a_watcher_names_the_fence_that_it_has_seen_and_has_a_queue_of_its_own)
{
    EXPECT_EQ(
        written(acquire_request{.mine = {&watch_, "me"}, .lease = 30s}),
        (word_list{"EVALSHA", sha(redis::scripts::term_watch), "3", "a", "pawl:fence:{a}",
                   "pawl:watch:{a}", "me", "0", "0", "0000000000000x00000000000000000000", "17"}));
    EXPECT_EQ(from(written(core::release_request{.mine = {&watch_, "me"}}), 1),
              (word_list{sha(redis::scripts::gate_leave), "3", "a", "pawl:fence:{a}",
                         "pawl:watch:{a}", "me"}));
}

TEST_F(wire_leader, replies_to_a_yield)
{
    const auto got = [&](const std::string& text) { return read_text(yielding(), text); };
    EXPECT_TRUE(std::holds_alternative<core::handed_over>(got(":1\r\n")));
    EXPECT_TRUE(std::holds_alternative<core::no_candidate>(got(":2\r\n")));
    EXPECT_EQ(std::get<hold_status>(got(":0\r\n")), hold_status::vanished);
    EXPECT_EQ(std::get<hold_status>(got(":-1\r\n")), hold_status::taken);
    EXPECT_EQ(std::get<hold_status>(got("-WRONGTYPE no list\r\n")), hold_status::not_a_lock);
    for (const auto* const text : {":3\r\n", "+OK\r\n", "-NOPERM no\r\n"}) {
        EXPECT_EQ(std::get<failure>(got(text)).what, failure_kind::refused) << text;
    }
}

TEST_F(wire_leader, a_leader_is_read_with_any_bytes_in_its_payload)
{
    const core::read_request asked{.what = &leader_};
    EXPECT_EQ(written(asked), (word_list{"EVALSHA", sha(redis::scripts::term_read), "1", "a"}));
    const auto got = [&](const std::string& text) { return read_text(asked, text); };
    const auto none = std::get<core::term_seen>(got("$0\r\n\r\n"));
    EXPECT_EQ(none.fence, 0U);
    const auto seen = std::get<core::term_seen>(got(bulk(std::string{"17 3000 \0a b \0\n", 15})));
    EXPECT_EQ(seen.fence, 17U);
    EXPECT_EQ(seen.left, 3s);
    const auto who = core::candidate_in(seen.candidate);
    EXPECT_EQ(who.payload, (std::string{"a b \0\n", 6}));
    EXPECT_EQ(who.name, who.payload);
    for (const auto* const text : {"0 1 x", "17", "17 x y", "hello"}) {
        EXPECT_EQ(std::get<failure>(got(bulk(text))).what, failure_kind::refused) << text;
    }
    EXPECT_EQ(std::get<failure>(got(":1\r\n")).what, failure_kind::refused);
    EXPECT_EQ(std::get<failure>(got("-WRONGTYPE no list\r\n")).what, failure_kind::not_a_lock);
}

TEST_F(wire_leader, a_candidate_is_known_by_its_name_or_by_its_payload)
{
    const auto named = core::candidate_in(leader_.candidate);
    EXPECT_EQ(named.name, "node 7");
    EXPECT_EQ(named.payload, "10.0.0.7");
    const auto text = core::candidate_text({{}, "10.0.0.7"});
    EXPECT_EQ(core::candidate_in(text).name, "10.0.0.7");
    EXPECT_EQ(core::candidate_in(text).payload, "10.0.0.7");
}

}  // namespace
}  // namespace pawl::store
