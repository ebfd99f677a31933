// Our scripts in the in-process Redis: the queue of those who wait, and handing over.
#include "redis/scripts.h"
#include "unit/engine_fixture.h"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace pawl::store::memory {
namespace {

using namespace std::chrono_literals;
namespace ours = redis::scripts;

constexpr session listener = 2;
constexpr std::string_view lingering_holder = "00112233445566778899aabbccddeeff0123456789abcdef";

// What an acquire says besides who it is for.
struct how {
    bool repeated = false;
    bool join = true;
    bool fair = false;
    std::string_view lease{};  // nothing: 3000
    std::string_view stay = "9000";
    std::string_view client = "c0";
    std::string_view reserve = "0";
    std::string_view wanted_until = "0";
};

// What a release says besides whose it is.
struct how_to_end {
    std::string_view used = "0";
    bool reserve = false;
    std::string place{};
    bool announce = false;
    std::pair<std::string_view, std::string_view> json{};  // name and holder, if they differ
};

// In both layouts; and those who wait stay for 9000 ms, which is either as long as their lease, and so as
// is usual, or not.
class queue_scripts : public engine_test,
                      public testing::WithParamInterface<std::tuple<bool, bool>> {
protected:
    queue_scripts()
    {
        engine_.on_push([this](session, std::string_view bytes) { heard_ += shown(bytes); });
        ask({"HELLO", "3"}, listener);
        listen("pawl:client:c0");
    }

    [[nodiscard]] static bool is_hash() { return std::get<0>(GetParam()); }
    [[nodiscard]] static bool is_usual() { return std::get<1>(GetParam()); }
    [[nodiscard]] static std::string lease_of_waiters() { return is_usual() ? "9000" : "3000"; }
    [[nodiscard]] static std::string_view usual_mark() { return is_usual() ? "0" : "1"; }

    void listen(std::string_view channel) { ask({"SUBSCRIBE", channel}, listener); }

    std::string acquire(std::string_view holder, const how& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_acquire : ours::plain_acquire;
        const auto lease = asked.lease.empty() ? "3000" : asked.lease;
        const auto flags =
            std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0) + (asked.fair ? 4 : 0));
        return ask({"EVAL", script.text, "4", "a", "f", "q", "w", holder, lease, asked.wanted_until,
                    flags, asked.client, asked.reserve, asked.stay});
    }

    // The same for one who is about to wait.
    std::string join(std::string_view holder, how asked = {})
    {
        const auto lease = lease_of_waiters();
        if (asked.lease.empty()) asked.lease = lease;
        return acquire(holder, asked);
    }

    std::string release(std::string_view holder, const how_to_end& asked = {})
    {
        const auto& script = is_hash() ? ours::hash_release : ours::plain_release;
        const bool json = !asked.json.first.empty();
        const auto flags =
            std::to_string((asked.announce ? 1 : 0) + (json ? 2 : 0) + (asked.reserve ? 4 : 0));
        return ask({"EVAL", script.text, "4", "a", "f", "q", "w", holder, flags, asked.used,
                    asked.place, asked.json.first, asked.json.second});
    }

    // As it is said by who gives it up, and as it stands in the queue.
    static std::string place(const std::string& who, const std::string& reserve = "0")
    {
        return who + " c0 " + lease_of_waiters() + " " + reserve;
    }

    static std::string marked(const std::string& who, const std::string& reserve = "0",
                              std::string_view mark = usual_mark())
    {
        return place(who, reserve).append(" ").append(mark);
    }

    // A reply.
    static std::string list(const std::vector<std::string>& words)
    {
        std::string text = "*" + std::to_string(words.size()) + "|";
        for (const auto& each : words) {
            text += "$" + std::to_string(each.size()) + "|" + each + "|";
        }
        return text;
    }

    std::string keep(std::string_view holder, std::string_view used = "1700000000000000",
                     std::string_view reserve = "1000")
    {
        const auto last = ask({"GET", "f"});
        return keep_known_by(last == "_|" ? "0" : last.substr(last.find('|') + 1, 16), holder, used,
                             reserve);
    }

    std::string keep_known_by(std::string_view last, std::string_view holder, std::string_view used,
                              std::string_view reserve)
    {
        const auto& script = is_hash() ? ours::hash_keep : ours::plain_keep;
        return ask({"EVAL", script.text, "4", "a", "f", "q", "w", holder, "0", used, "3000", "", "",
                    reserve, last});
    }

    std::string holder()
    {
        const auto text = is_hash() ? ask({"EVAL", "return redis.call('HGETALL', 'a')[1]", "0"})
                                    : ask({"GET", "a"});
        return text == "_|" || text == "$-1|" ? "" : text.substr(text.find('|') + 1);
    }

    std::string waiting() { return ask({"ZRANGE", "q", "0", "-1"}); }

    // What was heard since the last time.
    std::string heard() { return std::exchange(heard_, {}); }

    static std::string message(std::string_view channel, const std::string& text)
    {
        return ">3|$7|message|$" + std::to_string(channel.size()) + "|" + std::string{channel} +
               "|$" + std::to_string(text.size()) + "|" + text + "|";
    }

    std::string grant(const std::string& who, const std::string& fence, const std::string& time)
    {
        return message("pawl:client:c0", "grant " + who + " " + fence + " " + time + " a");
    }

    std::string heard_;
};

INSTANTIATE_TEST_SUITE_P(both_layouts, queue_scripts,
                         testing::Combine(testing::Bool(), testing::Bool()));

// ── The queue ───────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, who_finds_it_busy_joins_the_queue_if_he_wants_to)
{
    EXPECT_EQ(acquire("h"), "*3|:1|:1700000000000000|:1700000000000|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(acquire("stranger", {.join = false}), "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(join("x", {.reserve = "7"}), "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(join("y"), "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), list({marked("x", "7"), marked("y")}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
}

TEST_P(queue_scripts, only_who_does_not_stay_for_as_long_as_is_usual_needs_more_than_his_place)
{
    acquire("h");
    join("x");
    if (is_usual()) {
        EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
    } else {
        EXPECT_EQ(ask({"HGETALL", "w"}, listener), "%1|$1|x|$13|1700000009000|");
        EXPECT_EQ(ask({"PTTL", "w"}), ":9000|");
    }
}

TEST_P(queue_scripts, a_stay_of_1500_ms_is_usual_if_the_lease_is_shorter)
{
    acquire("h");
    acquire("x", {.lease = "20", .stay = "1500"});
    EXPECT_EQ(waiting(), list({"x c0 20 0 0"}));
    acquire("y", {.lease = "20", .stay = "20"});
    acquire("z", {.lease = "1501", .stay = "1500"});
    EXPECT_EQ(waiting(), list({"x c0 20 0 0", "y c0 20 0 1", "z c0 1501 0 1"}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":1500|");
}

TEST_P(queue_scripts, who_looks_again_keeps_his_place_for_longer)
{
    acquire("h");
    join("x");
    pass(1ms);
    join("y");
    pass(2s);
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:0|:999|:1700000002001|");
    EXPECT_EQ(waiting(), list({marked("x", "0", "1"), marked("y")})) << "before who came later";
    EXPECT_EQ(ask({"HGET", "w", "x"}), "$13|1700000011001|");
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
    EXPECT_EQ(ask({"PTTL", "w"}), ":9000|");
}

TEST_P(queue_scripts, who_looks_again_stands_where_he_stood)
{
    acquire("h");
    for (const auto* const each : {"x", "y", "z"}) {
        join(each);
        pass(1ms);
    }
    const auto scores = [&] {
        return ask({"EVAL",
                    "local all = {} for i, each in ipairs(redis.call('ZRANGE', 'q', 0, -1, "
                    "'WITHSCORES')) do if i % 2 == 0 then all[#all + 1] = each end end return all",
                    "0"});
    };
    const auto before = scores();
    for (int i = 0; i < 2; ++i) {
        join("y", {.repeated = true});
        EXPECT_EQ(waiting(), list({marked("x"), marked("y", "0", "1"), marked("z")}));
        EXPECT_EQ(scores(), before);
        pass(1ms);
    }
}

TEST_P(queue_scripts, who_looks_again_joins_if_he_has_lost_his_place)
{
    acquire("h");
    join("y");
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), list({marked("y"), marked("x", "0", "1")}));
}

TEST_P(queue_scripts, a_first_try_that_was_delayed_finds_the_place_that_its_repeat_took)
{
    acquire("h");
    join("x", {.repeated = true});
    join("y");
    join("x");
    EXPECT_EQ(waiting(), list({marked("x", "0", "1"), marked("y")}));
    release("h");
    EXPECT_EQ(release("x", {.place = place("x")}), ":1|");
    EXPECT_EQ(holder(), "y|");
    EXPECT_EQ(release("y", {.place = place("y")}), ":1|");
    EXPECT_EQ(holder(), "") << "not again his who has given it back";
}

TEST_P(queue_scripts, the_only_one_who_waits_and_looks_again_does_not_stay_for_ever)
{
    acquire("h");
    join("x");
    pass(1s);
    join("x", {.repeated = true, .stay = "500"});
    EXPECT_NE(ask({"PTTL", "q"}), ":-1|");
    EXPECT_EQ(ask({"HGET", "w", "x"}), "$13|1700000001500|");
}

TEST_P(queue_scripts, a_short_stay_does_not_cost_others_their_places)
{
    acquire("h");
    join("x");
    join("y", {.stay = "10"});
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
    EXPECT_EQ(ask({"PTTL", "w"}), is_usual() ? ":10|" : ":9000|");
}

TEST_P(queue_scripts, the_order_is_that_of_arrival_though_the_clock_was_set_back)
{
    acquire("h");
    join("x");
    pass(-1h);
    join("a");
    EXPECT_EQ(waiting(), list({marked("x"), marked("a")}));
}

TEST_P(queue_scripts, a_queue_that_nobody_looks_after_ends)
{
    acquire("h");
    join("x");
    pass(9001ms);
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, who_gives_up_leaves_the_queue)
{
    acquire("h");
    join("x");
    join("y");
    EXPECT_EQ(release("x", {.place = place("x")}), ":-1|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HLEN", "w"}), is_usual() ? ":0|" : ":1|");
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
    EXPECT_EQ(holder(), "h|");
}

TEST_P(queue_scripts, who_gives_up_after_a_look_leaves_the_queue)
{
    acquire("h");
    join("x");
    join("x", {.repeated = true});
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":2|");
    EXPECT_EQ(release("x", {.place = place("x")}), ":-1|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, who_gives_up_when_nobody_holds_it_leaves_the_queue)
{
    acquire("h");
    join("x");
    ask({"DEL", "a"});
    EXPECT_EQ(release("x", {.place = place("x")}), ":0|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, who_says_no_place_leaves_none)
{
    acquire("h");
    join("x");
    EXPECT_EQ(release("x"), ":-1|");
    EXPECT_EQ(waiting(), list({marked("x")}));
}

TEST_P(queue_scripts, who_came_too_late_neither_takes_nor_joins)
{
    EXPECT_EQ(join("x", {.wanted_until = "1699999999999"}), "*3|:-1|:0|:1700000000000|");
    EXPECT_EQ(holder(), "");
    acquire("h");
    EXPECT_EQ(join("x", {.wanted_until = "1699999999999"}), "*3|:-1|:0|:1700000000000|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(join("x", {.wanted_until = "1700000000000"}), "*3|:0|:3000|:1700000000000|");
}

TEST_P(queue_scripts, who_waited_and_finds_it_free_leaves_the_queue)
{
    acquire("h");
    join("x");
    pass(3001ms);
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:1|:1700000003001000|:1700000003001|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, whoever_comes_first_takes_what_is_free_unless_he_is_fair)
{
    acquire("h");
    join("x");
    join("y");
    pass(3001ms);
    EXPECT_EQ(join("fair", {.fair = true}), "*3|:0|:" + lease_of_waiters() + "|:1700000003001|");
    EXPECT_EQ(holder(), "x|") << "it was the first one's";
    EXPECT_EQ(heard(), grant("x", "1700000003001000", "1700000003001"));
    EXPECT_EQ(waiting(), list({marked("y"), marked("fair")}));
    ask({"DEL", "a"});
    EXPECT_EQ(acquire("unfair"), "*3|:1|:1700000003001001|:1700000003001|");
}

TEST_P(queue_scripts, the_fair_one_takes_it_if_nobody_before_him_can_be_told)
{
    acquire("h");
    join("x", {.client = "c1"});
    join("y", {.stay = "10"});
    pass(3001ms);
    EXPECT_EQ(acquire("fair", {.fair = true}), "*3|:1|:1700000003001001|:1700000003001|");
    EXPECT_EQ(holder(), "fair|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
    EXPECT_EQ(heard(), "");
}

TEST_P(queue_scripts, the_fair_one_takes_it_if_he_is_the_first)
{
    acquire("h");
    join("x", {.fair = true});
    join("y", {.fair = true});
    pass(3001ms);
    EXPECT_EQ(join("x", {.repeated = true, .fair = true}),
              "*3|:1|:1700000003001000|:1700000003001|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
}

TEST_P(queue_scripts, the_fair_one_takes_it_if_he_is_the_first_and_has_looked_again)
{
    acquire("h");
    join("x", {.fair = true});
    join("y", {.fair = true});
    pass(1s);
    join("x", {.repeated = true, .fair = true});
    pass(2001ms);
    EXPECT_EQ(join("x", {.repeated = true, .fair = true}),
              "*3|:1|:1700000003001000|:1700000003001|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
}

TEST_P(queue_scripts, what_is_usual_need_not_be_said)
{
    const auto& script = is_hash() ? ours::hash_acquire : ours::plain_acquire;
    const auto say = [&](std::string_view holder, std::string_view flags) {
        return ask(
            {"EVAL", script.text, "4", "a", "f", "q", "w", holder, "3000", "0", flags, "c0"});
    };
    EXPECT_EQ(ask({"EVAL", script.text, "4", "a", "f", "q", "w", "h", "3000", "0", "0"}),
              "*3|:1|:1700000000000000|:1700000000000|");
    EXPECT_EQ(ask({"EVAL", script.text, "4", "a", "f", "q", "w", "y", "3000", "0", "0"}),
              "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(say("x", "2"), "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), list({"x c0 3000 0 0"}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":3000|");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(say("x", "3"), "*3|:2|:1700000000000002|:1700000000000|");
}

// ── Handing over ────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, a_release_hands_over_to_the_first_and_tells_him)
{
    acquire("h");
    join("x");
    join("y");
    pass(1ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000001000", "1700000000001"));
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":" + lease_of_waiters() + "|") << "his lease";
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001000|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:2|:1700000000001001|:1700000000001|")
        << "if he did not hear of it";
}

TEST_P(queue_scripts, a_release_passes_over_who_cannot_be_told)
{
    acquire("h");
    join("deaf", {.client = "c1"});
    join("x");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000000000002", "1700000000000"));
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_passes_over_who_has_not_been_heard_of_for_too_long)
{
    acquire("h", {.lease = "60000"});
    join("gone");
    pass(1ms);
    join("x");
    pass(9s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
}

TEST_P(queue_scripts, a_release_passes_over_who_wanted_to_wait_for_a_short_time_only)
{
    acquire("h");
    join("gone", {.stay = "10"});
    join("x");
    pass(11ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
}

TEST_P(queue_scripts, a_release_passes_over_who_looked_again_to_wait_for_a_short_time_only)
{
    acquire("h");
    join("gone");
    join("x");
    join("gone", {.repeated = true, .stay = "10"});
    pass(11ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_place_lasts_to_the_last_millisecond)
{
    acquire("h", {.lease = "60000"});
    join("x");
    pass(9s);
    join("y");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_place_for_a_short_time_lasts_to_the_last_millisecond)
{
    acquire("h");
    join("x", {.stay = "10"});
    join("y");
    pass(10ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_place_lasts_for_1500_ms_though_the_lease_is_shorter)
{
    for (const bool in_time : {true, false}) {
        acquire("h", {.lease = "60000"});
        acquire("x", {.lease = "20", .stay = "1500"});
        pass(1ms);
        join("y");
        pass(in_time ? 1499ms : 1500ms);
        EXPECT_EQ(release("h"), ":1|");
        EXPECT_EQ(holder(), in_time ? "x|" : "y|");
        ask({"DEL", "a", "q", "w"});
    }
}

TEST_P(queue_scripts, a_look_makes_a_place_last_for_longer)
{
    acquire("h", {.lease = "60000"});
    join("x");
    pass(5s);
    join("x", {.repeated = true});
    join("y");
    pass(9s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_release_passes_over_a_place_that_makes_no_sense)
{
    acquire("h");
    for (const auto* const each :
         {"nonsense", "", "b c0 3000 0", "b c0 3000 0 1 1", "b c0 x 0 0", "b c0 3000 -1 0"}) {
        ask({"ZADD", "q", "1700000000000000", each});
    }
    join("y");
    join("z");
    join("y", {.repeated = true});
    ask({"HDEL", "w", "y"});  // his place says that there is more
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "z|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_passes_over_a_place_of_which_nobody_knows_until_when_it_is_kept)
{
    acquire("h");
    join("x");
    join("z");
    join("x", {.repeated = true});
    ask({"HSET", "w", "x", "nonsense"});
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "z|");
}

TEST_P(queue_scripts, a_lock_that_nobody_can_be_given_is_free)
{
    acquire("h");
    join("deaf", {.client = "c1"});
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(ask({"EXISTS", "a", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, a_release_by_another_hands_over_nothing)
{
    acquire("h");
    join("x");
    EXPECT_EQ(release("stranger"), ":-1|");
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(waiting(), list({marked("x")}));
    ask({"DEL", "a"});
    EXPECT_EQ(release("stranger"), ":0|");
}

TEST_P(queue_scripts, a_repeated_release_does_not_take_it_from_who_was_given_it)
{
    acquire("h");
    join("x");
    join("y");
    release("h");
    EXPECT_EQ(release("h"), ":-1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), list({marked("y")}));
}

// ── Numbers ─────────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, numbers_that_are_set_aside_are_given_to_nobody_else)
{
    EXPECT_EQ(acquire("h", {.reserve = "1000"}), "*3|:1|:1700000000000000|:1700000000000|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001000|");
    ask({"DEL", "a"});  // its holder is gone, and nobody knows which ones he used
    EXPECT_EQ(join("x"), "*3|:1|:1700000000001001|:1700000000000|");
}

TEST_P(queue_scripts, who_says_which_numbers_he_used_gives_the_others_back)
{
    acquire("h", {.reserve = "1000"});
    EXPECT_EQ(release("h", {.used = "1700000000000003", .reserve = true}), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000003|");
    EXPECT_EQ(join("x"), "*3|:1|:1700000000000004|:1700000000000|");
}

TEST_P(queue_scripts, who_is_handed_the_lock_has_a_higher_number_than_those_that_were_used)
{
    acquire("h", {.reserve = "1000"});
    join("x", {.reserve = "7"});
    EXPECT_EQ(release("h", {.used = "1700000000000003", .reserve = true}), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000004", "1700000000000"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000011|") << "with those set aside for him";
}

TEST_P(queue_scripts, who_set_none_aside_leaves_the_number_as_it_is)
{
    acquire("h");
    ask({"SET", "f", "1700000000000005"});
    EXPECT_EQ(release("h", {.used = "1700000000000000"}), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000005|");
}

TEST_P(queue_scripts, who_says_his_number_hands_over_with_a_higher_one_though_the_last_is_forgotten)
{
    acquire("h");
    join("x");
    ask({"DEL", "f"});
    pass(-1s);
    EXPECT_EQ(release("h", {.used = "1700000000000000"}), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1699999999000"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000001|");
}

TEST_P(queue_scripts, who_does_not_know_his_number_hands_over_with_a_higher_one_than_the_last)
{
    acquire("h");
    join("x");
    pass(-1s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1699999999000"));
}

TEST_P(queue_scripts, a_number_ahead_of_the_clock_is_kept_until_the_clock_has_passed_it)
{
    acquire("h", {.reserve = "1000000"});
    EXPECT_EQ(ask({"PTTL", "f"}), ":86401000|");
    pass(-1h);
    EXPECT_EQ(release("h", {.used = "1700000000000003", .reserve = true}), ":1|");
    EXPECT_EQ(ask({"PTTL", "f"}), ":90000001|");
}

TEST_P(queue_scripts, a_lock_whose_fence_cannot_be_told_is_not_taken)
{
    ask({"HSET", "f", "x", "1"});
    EXPECT_TRUE(acquire("h").starts_with("-WRONGTYPE"));
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
    ask({"DEL", "f"});
    acquire("h");
    ask({"DEL", "f"});
    ask({"HSET", "f", "x", "1"});
    EXPECT_TRUE(acquire("h", {.repeated = true}).starts_with("-WRONGTYPE"));
    EXPECT_EQ(holder(), "h|") << "who has it keeps it";
}

TEST_P(queue_scripts, a_fence_that_makes_no_sense_is_made_anew)
{
    ask({"SET", "f", "nonsense"});
    EXPECT_EQ(acquire("h"), "*3|:1|:1700000000000000|:1700000000000|");
    EXPECT_EQ(ask({"PTTL", "f"}), ":86400000|");
}

// ── Keeping ─────────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, a_lock_that_nobody_waits_for_may_be_kept)
{
    acquire("h");
    pass(1s);
    EXPECT_EQ(keep("h"), "*3|:1|:1700000001000000|:1700000001000|");
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|") << "the lease counts anew";
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000001001000|");
}

TEST_P(queue_scripts, to_keep_a_lock_never_shortens_its_lease)
{
    acquire("h");
    ask({"PEXPIRE", "a", "50000"});
    keep("h");
    EXPECT_EQ(ask({"PTTL", "a"}), ":50000|");
}

TEST_P(queue_scripts, a_kept_lock_has_a_higher_number_than_those_that_were_used)
{
    acquire("h", {.reserve = "1000"});
    EXPECT_EQ(keep("h", "1700000000000003", "7"), "*3|:1|:1700000000001001|:1700000000000|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001008|");
}

TEST_P(queue_scripts, a_lock_that_someone_waits_for_is_handed_over_and_not_kept)
{
    acquire("h", {.reserve = "1000"});
    join("x");
    EXPECT_EQ(keep("h", "1700000000000003"), "*3|:2|:0|:1700000000000|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000000000004", "1700000000000"));
}

TEST_P(queue_scripts, a_lock_that_only_those_wait_for_who_cannot_be_told_is_kept)
{
    acquire("h");
    join("deaf", {.client = "c1"});
    EXPECT_TRUE(keep("h").starts_with("*3|:1|"));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_wish_to_keep_a_lock_is_granted_once)
{
    acquire("h");
    const auto late = [&] {
        return keep_known_by("1700000000000000", "h", "1700000000000000", "1000");
    };
    EXPECT_TRUE(late().starts_with("*3|:1|"));
    join("x");
    EXPECT_EQ(late(), "*3|:-2|:0|:1700000000000|");
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(heard(), "");
}

TEST_P(queue_scripts, a_wish_to_keep_a_lock_is_granted_once_though_others_count_on)
{
    acquire("h", {.reserve = "7"});
    const auto last = std::string{"1700000000000007"};
    const auto wish = [&] { return keep_known_by(last, "h", "1700000000000000", "7"); };
    pass(-1h);
    ask({"INCRBY", "f", "7"});
    EXPECT_EQ(wish(), "*3|:1|:1700000000000015|:1699996400000|");
    EXPECT_EQ(wish(), "*3|:-2|:0|:1699996400000|");
    ask({"SET", "f", "1700000000000015"});
    EXPECT_EQ(wish(), "*3|:-2|:0|:1699996400000|") << "too many to know";
    ask({"SET", "f", "1700000000000006"});
    EXPECT_EQ(wish(), "*3|:-2|:0|:1699996400000|");
}

TEST_P(queue_scripts, who_finds_it_busy_gives_an_end_to_a_fence_that_was_begun_in_vain)
{
    acquire("h");
    ask({"DEL", "f"});
    ask({"INCR", "f"});
    const auto& script = is_hash() ? ours::hash_acquire : ours::plain_acquire;
    const auto say = [&](std::string_view flags) {
        return ask({"EVAL", script.text, "4", "a", "f", "q", "w", "x", "3000", "0", flags, "c0"});
    };
    EXPECT_EQ(say("0"), "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(ask({"PTTL", "f"}), ":-1|");
    EXPECT_EQ(say("8"), "*3|:0|:3000|:1700000000000|");
    EXPECT_EQ(ask({"PTTL", "f"}), ":86400000|");
    EXPECT_EQ(waiting(), "*0|") << "and is not taken for fair";
    release("h");
    EXPECT_EQ(say("8"), "*3|:1|:1700000000000000|:1700000000000|");
}

TEST_P(queue_scripts, a_lock_that_is_gone_or_anothers_is_not_kept)
{
    EXPECT_EQ(keep("h"), "*3|:0|:0|:1700000000000|");
    join("x");
    EXPECT_EQ(keep("h"), "*3|:-1|:0|:1700000000000|");
    EXPECT_EQ(holder(), "x|");
}

// ── Messages ────────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, who_lets_a_lock_linger_is_told_that_it_is_wanted)
{
    listen("pawl:client:0123456789abcdef");
    acquire(lingering_holder);
    EXPECT_EQ(heard(), "");
    join("x", {.join = false});
    EXPECT_EQ(heard(), message("pawl:client:0123456789abcdef", "wanted a"));
}

TEST_P(queue_scripts, a_release_is_announced_whether_it_is_handed_over_or_not)
{
    listen("lock:release:a");
    const auto announced =
        message("lock:release:a", R"({"lockKey":"a","releaseTime":1700000000000,"holder":"h"})");
    acquire("h");
    EXPECT_EQ(release("h", {.announce = true}), ":1|");
    EXPECT_EQ(heard(), announced);
    EXPECT_EQ(release("h", {.announce = true}), ":0|");
    EXPECT_EQ(heard(), "") << "there was nothing to release";
    acquire("h", {.reserve = "7"});
    EXPECT_EQ(release("h", {.used = "1700000000000001", .reserve = true, .announce = true}), ":1|");
    EXPECT_EQ(heard(), announced);
    acquire("h");
    join("x");
    EXPECT_EQ(release("h", {.announce = true}), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000003", "1700000000000") + announced);
}

TEST_P(queue_scripts, a_release_is_announced_with_what_json_needs)
{
    listen("lock:release:a");
    acquire("h");
    EXPECT_EQ(release("h", {.announce = true, .json = {"\\\"a", "\\\"h"}}), ":1|");
    EXPECT_EQ(heard(), message("lock:release:a",
                               R"({"lockKey":"\"a","releaseTime":1700000000000,"holder":"\"h"})"));
}

TEST_P(queue_scripts, a_keep_that_hands_over_is_announced)
{
    listen("lock:release:a");
    acquire("h");
    join("x");
    const auto& script = is_hash() ? ours::hash_keep : ours::plain_keep;
    EXPECT_EQ(ask({"EVAL", script.text, "4", "a", "f", "q", "w", "h", "1", "1700000000000000",
                   "3000", "", "", "7", "1700000000000000"}),
              "*3|:2|:0|:1700000000000|");
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1700000000000") +
                           message("lock:release:a",
                                   R"({"lockKey":"a","releaseTime":1700000000000,"holder":"h"})"));
}

TEST_P(queue_scripts, when_memory_is_full_hands_over_but_takes_nobody_in)
{
    acquire("h");
    join("x");
    engine_.refuse_writes(true);
    EXPECT_TRUE(join("y").starts_with("-OOM"));
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_TRUE(keep("x").starts_with("*3|:1|"));
}

}  // namespace
}  // namespace pawl::store::memory
