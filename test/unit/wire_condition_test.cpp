// The requests of the Redis store about conditions.
#include "store/redis/condition_verbs.h"
#include "store/redis/keys.h"
#include "unit/wire_fixture.h"

#include <string>
#include <variant>

namespace pawl::store {
namespace {

using core::object_kind;

class wire_condition : public testing::Test {
protected:
    wire_condition() { waiter_.condition = &name_; }

    [[nodiscard]] core::wait_request wait() const
    {
        return {.release = {.mine = {&lock_, "me"}, .used = 17},
                .waiter = {&waiter_, "w"},
                .place = {.client = "c0c0c0c0c0c0c0c0", .lease = 30s},
                .stay = 30s};
    }

    [[nodiscard]] static word_list written_now(const core::wait_request& what)
    {
        std::string out;
        append(out, what, usual, wall_time{1'700'000'000'123ms});
        return words_of(out);
    }

    std::string name_ = "more";
    core::object lock_{.name = "a", .kind = object_kind::exclusive, .layout = layout::plain};
    core::object waiter_ = lock_;
};

TEST_F(wire_condition, a_wait_has_the_holder_and_the_waiter)
{
    EXPECT_EQ(written_now(wait()),
              (word_list{"EVALSHA", std::string{redis::scripts::plain_cond_wait.sha}, "4", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "pawl:cond:4:{a}:more", "me", "17", "",
                         "", "w", "c0c0c0c0c0c0c0c0000030000", "30000"}));
    auto reserved = wait();
    reserved.release.has_reserve = true;
    reserved.release.announce = true;
    const auto words = written_now(reserved);
    EXPECT_NE(words[9], "") << "the announcement";
    EXPECT_EQ(words[10], "1");
}

TEST_F(wire_condition, a_look_keeps_the_place_or_leaves)
{
    core::look_request look{.waiter = {&waiter_, "w"},
                            .place = {.client = "c0c0c0c0c0c0c0c0", .lease = 30s},
                            .stay = 40s};
    EXPECT_EQ(from(written(look), 1),
              (word_list{std::string{redis::scripts::cond_look.sha}, "4", "a", "pawl:fence:{a}",
                         "pawl:queue:{a}", "pawl:cond:4:{a}:more", "w", "c0c0c0c0c0c0c0c0000030000",
                         "40000", ""}));
    look.leaves = true;
    EXPECT_EQ(written(look).back(), "1");
}

TEST_F(wire_condition, a_notification_says_how_many)
{
    core::notify_request notify{.what = &waiter_};
    EXPECT_EQ(from(written(notify), 1),
              (word_list{std::string{redis::scripts::plain_cond_notify.sha}, "4", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "pawl:cond:4:{a}:more", "1"}));
    notify.all = true;
    EXPECT_EQ(written(notify).back(), "1000000000");
}

TEST_F(wire_condition, a_waiter_that_gives_up_leaves_the_condition_too)
{
    const core::release_request release{.mine = {&waiter_, "w"}, .used = 17, .has_reserve = true};
    EXPECT_EQ(
        from(written(release), 1),
        (word_list{std::string{redis::scripts::plain_cond_leave.sha}, "4", "a", "pawl:fence:{a}",
                   "pawl:queue:{a}", "pawl:cond:4:{a}:more", "w", "0", ""}));
}

TEST_F(wire_condition, each_layout_has_its_scripts)
{
    waiter_.layout = layout::hash;
    EXPECT_EQ(written_now(wait())[1], redis::scripts::hash_cond_wait.sha);
    EXPECT_EQ(written(core::notify_request{.what = &waiter_})[1],
              redis::scripts::hash_cond_notify.sha);
    EXPECT_EQ(written(core::release_request{.mine = {&waiter_, "w"}})[1],
              redis::scripts::hash_cond_leave.sha);
}

TEST_F(wire_condition, replies)
{
    EXPECT_EQ(std::get<hold_status>(read_text(wait(), ":1\r\n")), hold_status::done);
    EXPECT_EQ(std::get<hold_status>(read_text(wait(), ":0\r\n")), hold_status::vanished);
    EXPECT_EQ(std::get<hold_status>(read_text(wait(), ":-1\r\n")), hold_status::taken);
    EXPECT_EQ(failure_of_reply(read_text(wait(), "-OOM command not allowed\r\n")),
              failure_kind::refused);
    EXPECT_EQ(failure_of_reply(read_text(core::notify_request{.what = &waiter_}, "+OK\r\n")),
              failure_kind::refused);
    EXPECT_EQ(std::get<hold_status>(read_text(core::look_request{}, ":0\r\n")),
              hold_status::vanished);
}

TEST_F(wire_condition, no_two_conditions_have_the_same_key)
{
    EXPECT_EQ(condition_key("a", "more"), "pawl:cond:4:{a}:more");
    EXPECT_EQ(condition_key("{a}b", "x"), "pawl:cond:1:{a}:{a}b:x");
    EXPECT_EQ(condition_key("a", "{a}b:x"), "pawl:cond:6:{a}:{a}b:x");
    EXPECT_EQ(hash_slot(condition_key("a", "{b}")), hash_slot("a")) << "the slot of the lock";
    EXPECT_EQ(hash_slot(condition_key("a}b", "c")), hash_slot("a}b"));
}

}  // namespace
}  // namespace pawl::store
