// The scripts of a leader in the in-process Redis.
#include "core/candidate.h"
#include "unit/members_scripts_fixture.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::store::memory {
namespace {

namespace scripts = redis::scripts;

class leader_scripts : public members_scripts {
protected:
    leader_scripts() : members_scripts{""} {}

    // A candidate: its id is made from the letter, and its payload is the letter.
    std::string campaign(char letter) { return campaign(letter, {}); }
    std::string campaign(char letter, const how& asked)
    {
        return stand(letter, {{}, std::string_view{&letter, 1}}, asked);
    }
    std::string stand(char letter, const core::candidate& who, const how& asked = {})
    {
        const auto flags = std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0) + 4);
        return ask({"EVAL", scripts::term_acquire.text, "4", "a", "f", "q", "w", id(letter),
                    asked.wanted_until, flags,
                    place(core::entry_mode::writer, asked) + " " + core::candidate_text(who)});
    }
    std::string resign(char letter, std::string_view used = "0")
    {
        return ask({"EVAL", scripts::term_release.text, "4", "a", "f", "q", "w", id(letter), used});
    }
    std::string yield(char letter, std::string_view to, int number = 1)
    {
        return ask({"EVAL", scripts::term_yield.text, "4", "a", "f", "q", "w", id(letter), micros(),
                    "", to, std::to_string(number)});
    }
    std::string watch(std::string_view who, const std::string& seen, const how& asked = {})
    {
        const auto flags = std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0));
        return ask({"EVAL", scripts::term_watch.text, "3", "a", "f", "w", who, asked.wanted_until,
                    flags, place(core::entry_mode::writer, asked), seen});
    }
    std::string renew(char letter, std::string_view lease)
    {
        return ask({"EVAL", scripts::term_renew.text, "1", "a", id(letter), lease});
    }
    std::string check(char letter)
    {
        return ask({"EVAL", scripts::term_check.text, "1", "a", id(letter)});
    }

    // What others read: the payload, or "-" if nobody leads.
    std::string payload()
    {
        const auto got = ask({"EVAL", scripts::term_read.text, "1", "a"});
        const auto nul = got.find('\0');
        if (nul == std::string::npos) return "-";
        return got.substr(nul + 1, got.size() - nul - 2);
    }
    std::string fence() { return ask({"LINDEX", "a", "2"}).substr(4, 16); }
    std::string leads() { return ask({"LINDEX", "a", "0"}); }
    [[nodiscard]] static std::string is(char letter) { return "$32|" + id(letter) + "|"; }

    [[nodiscard]] std::string micros() const { return std::to_string(now_.count()); }
    [[nodiscard]] std::string said(int code, const std::string& number) const
    {
        return answer(std::to_string(code) + " " + number + " " + micros());
    }
    [[nodiscard]] std::string told(char letter, const std::string& number) const
    {
        return grant(id(letter), number, micros());
    }
    [[nodiscard]] std::string later(int by) const { return std::to_string(now_.count() + by); }
};

TEST_F(leader_scripts, the_first_candidate_leads_and_shows_its_payload)
{
    EXPECT_EQ(payload(), "-");
    EXPECT_EQ(campaign('b'), said(1, micros()));
    EXPECT_EQ(payload(), "b");
    EXPECT_EQ(leads(), is('b'));
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(check('b'), ":1|");
    EXPECT_EQ(check('c'), ":-1|");
}

TEST_F(leader_scripts, a_payload_may_have_any_bytes)
{
    const std::string bytes{"10.0.0.7:80 \0 v\n1", 17};
    stand('b', {"node 7", bytes});
    EXPECT_EQ(ask({"EVAL", scripts::term_read.text, "1", "a"}),
              shown("$46\n" + fence() + " 3000 node 7" + std::string{"\0", 1} + bytes + "\n"));
}

TEST_F(leader_scripts, a_repeated_campaign_finds_its_own_term_with_the_same_fence)
{
    const auto first = micros();
    campaign('b');
    pass(2s);
    EXPECT_EQ(campaign('b', {.repeated = true}), said(2, first));
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|") << "the lease counts anew";
    EXPECT_EQ(fence(), first);
}

TEST_F(leader_scripts, a_campaign_that_comes_too_late_does_not_lead)
{
    EXPECT_EQ(campaign('b', {.wanted_until = "1600000000000000"}), said(-1, "0"));
    EXPECT_EQ(payload(), "-");
}

TEST_F(leader_scripts, the_payload_ends_with_the_lease_and_lives_as_long_as_it_is_renewed)
{
    campaign('b');
    for (int i = 0; i < 10; ++i) {
        pass(2s);
        EXPECT_EQ(renew('b', "3000"), "*1|:1|");
        EXPECT_EQ(payload(), "b");
    }
    pass(3001ms);
    EXPECT_EQ(payload(), "-");
    EXPECT_EQ(renew('b', "3000"), "*1|:0|");
    EXPECT_EQ(payload(), "-") << "a renewal does not bring it back";
}

TEST_F(leader_scripts, the_leader_that_resigns_is_followed_by_the_first_candidate)
{
    campaign('b');
    EXPECT_EQ(campaign('c'), said(0, "3000"));
    EXPECT_EQ(campaign('d'), said(0, "3000"));
    EXPECT_EQ(payload(), "b");
    EXPECT_EQ(resign('b', micros()), ":1|");
    EXPECT_EQ(heard(), told('c', later(1)));
    EXPECT_EQ(payload(), "c");
    EXPECT_EQ(fence(), later(1));
    EXPECT_EQ(resign('b'), ":-1|") << "a repetition ends no term of another one";
    EXPECT_EQ(payload(), "c");
    resign('c');
    EXPECT_EQ(payload(), "d");
    EXPECT_EQ(resign('d'), ":1|");
    EXPECT_EQ(payload(), "-");
    EXPECT_EQ(resign('d'), ":0|");
    EXPECT_EQ(ask({"EXISTS", "a", "q", "w"}), ":0|");
}

TEST_F(leader_scripts, a_candidate_that_gives_up_leaves_the_queue)
{
    campaign('b');
    campaign('c');
    EXPECT_EQ(resign('c'), ":-1|");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
    EXPECT_EQ(payload(), "b");
}

TEST_F(leader_scripts, candidates_that_are_gone_are_passed_over)
{
    campaign('b');
    campaign('c', {.client = deaf_client});
    campaign('d', {.stay = 1s});
    campaign('e');
    pass(2s);
    resign('b');
    EXPECT_EQ(payload(), "e");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(leader_scripts, when_the_leader_has_crashed_the_first_in_the_queue_leads_and_no_newcomer)
{
    campaign('b');
    campaign('c');
    watch("w1", fence());
    pass(4s);
    EXPECT_EQ(campaign('d'), said(0, "3000"));
    EXPECT_EQ(payload(), "c");
    EXPECT_EQ(heard(), told('c', micros()) + grant("w1", micros(), micros()));
    EXPECT_EQ(campaign('c', {.repeated = true}), said(2, micros())) << "it did not hear of it";
    resign('c');
    EXPECT_EQ(payload(), "d");
}

TEST_F(leader_scripts, the_first_in_the_queue_finds_by_itself_that_the_leader_has_crashed)
{
    campaign('b');
    campaign('c');
    pass(4s);
    EXPECT_EQ(campaign('c', {.repeated = true}), said(1, micros()));
    EXPECT_EQ(payload(), "c");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(leader_scripts, a_request_that_arrives_after_its_repetition_does_not_join)
{
    campaign('b', {.repeated = true});
    EXPECT_EQ(campaign('b'), said(0, "3000"));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

// ── yield_to ────────────────────────────────────────────────────────────────────────────────────

TEST_F(leader_scripts, the_lead_is_yielded_to_the_candidate_with_the_name)
{
    campaign('b');
    campaign('c');
    stand('d', {"node 7", "10.0.0.7"});
    campaign('e');
    watch("w1", fence());
    EXPECT_EQ(yield('b', "node 7"), ":1|");
    EXPECT_EQ(heard(), told('d', later(1)) + grant("w1", micros(), micros()));
    EXPECT_EQ(payload(), "10.0.0.7");
    resign('d');
    EXPECT_EQ(payload(), "c") << "the others kept their order";
    resign('c');
    EXPECT_EQ(payload(), "e");
    resign('e');
    EXPECT_EQ(ask({"EXISTS", "a", "q", "w"}), ":0|");
}

TEST_F(leader_scripts, the_payload_is_the_name_of_a_candidate_without_one)
{
    campaign('b');
    stand('c', {"x", "d"});
    campaign('d');
    EXPECT_EQ(yield('b', "d"), ":1|");
    EXPECT_EQ(leads(), is('d'));
}

TEST_F(leader_scripts, the_term_goes_on_if_no_such_candidate_waits)
{
    campaign('b');
    campaign('c');
    EXPECT_EQ(yield('b', "d"), ":2|");
    EXPECT_EQ(payload(), "b");
    EXPECT_EQ(check('b'), ":1|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(ask({"LLEN", "q"}), ":2|");
    EXPECT_EQ(heard(), "");
}

TEST_F(leader_scripts, the_lead_is_not_yielded_to_one_that_is_gone)
{
    campaign('b');
    campaign('d', {.stay = 1s});
    pass(2s);
    EXPECT_EQ(yield('b', "d"), ":2|");
    stand('c', {{}, "d"}, {.client = deaf_client});
    EXPECT_EQ(yield('b', "d", 2), ":2|");
    stand('e', {{}, "d"});
    EXPECT_EQ(yield('b', "d", 3), ":1|") << "another one of that name";
    EXPECT_EQ(leads(), is('e'));
}

TEST_F(leader_scripts, a_repeated_yield_finds_what_it_did)
{
    campaign('b');
    campaign('c');
    EXPECT_EQ(yield('b', "c"), ":1|");
    EXPECT_EQ(yield('b', "c"), ":1|");
    EXPECT_EQ(leads(), is('c'));
    EXPECT_EQ(yield('d', "c"), ":-1|") << "one that never led";
    resign('c');
    EXPECT_EQ(yield('b', "c"), ":0|");
}

TEST_F(leader_scripts,
       a_delayed_yield_is_not_executed_when_the_leader_was_told_that_the_term_goes_on)
{
    campaign('b');
    EXPECT_EQ(yield('b', "c", 5), ":2|");
    campaign('c');
    EXPECT_EQ(yield('b', "c", 5), ":2|");
    EXPECT_EQ(yield('b', "c", 4), ":2|");
    EXPECT_EQ(leads(), is('b'));
    EXPECT_EQ(yield('b', "c", 6), ":1|");
}

TEST_F(leader_scripts, nobody_else_can_yield)
{
    campaign('b');
    campaign('c');
    EXPECT_EQ(yield('c', "c"), ":-1|");
    EXPECT_EQ(leads(), is('b'));
    pass(4s);
    EXPECT_EQ(yield('b', "c"), ":0|") << "its lease has ended";
}

// ── Watchers ────────────────────────────────────────────────────────────────────────────────────

TEST_F(leader_scripts, watchers_are_told_of_each_change_all_at_once)
{
    EXPECT_EQ(watch("w1", "0"), said(0, "-1"));
    EXPECT_EQ(watch("w2", "0"), said(0, "-1"));
    campaign('b');
    EXPECT_EQ(heard(), grant("w1", micros(), micros()) + grant("w2", micros(), micros()));
    EXPECT_EQ(watch("w1", "0"), said(1, micros())) << "there is a leader that it has not seen";
    EXPECT_EQ(watch("w1", fence()), said(0, "3000"));
    EXPECT_EQ(watch("w2", "17"), said(1, micros()));
    resign('b');
    EXPECT_EQ(heard(), grant("w1", micros(), micros())) << "there is none";
    EXPECT_EQ(watch("w1", "17"), said(1, micros()));
    EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
}

TEST_F(leader_scripts, a_watcher_finds_that_the_leader_is_gone_and_leaves_nothing)
{
    campaign('b');
    const auto seen = fence();
    watch("w1", seen);
    EXPECT_EQ(ask({"PTTL", "w"}), ":9000|");
    pass(4s);
    EXPECT_EQ(watch("w1", seen, {.repeated = true}), said(2, micros()));
    EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
}

TEST_F(leader_scripts, a_renewed_lease_is_no_change)
{
    campaign('b');
    const auto seen = fence();
    pass(2s);
    renew('b', "3000");
    EXPECT_EQ(watch("w1", seen), said(0, "3000"));
    campaign('b', {.repeated = true});
    EXPECT_EQ(heard(), "");
}

TEST_F(leader_scripts, a_list_of_another_program_is_left_alone)
{
    ask({"RPUSH", "a", "one", "two"});
    EXPECT_TRUE(campaign('b').starts_with("-WRONGTYPE"));
    EXPECT_TRUE(resign('b').starts_with("-WRONGTYPE"));
    EXPECT_TRUE(yield('b', "c").starts_with("-WRONGTYPE"));
    EXPECT_TRUE(watch("w1", "0").starts_with("-WRONGTYPE"));
    EXPECT_EQ(ask({"LLEN", "a"}), ":2|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

}  // namespace
}  // namespace pawl::store::memory
