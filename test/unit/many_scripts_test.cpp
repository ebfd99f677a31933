// pawl's scripts for many locks at once, in the in-process Redis.
#include "unit/many_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

const std::string begin = "1700000000000000";

// ── All or none ─────────────────────────────────────────────────────────────────────────────────

TEST_P(many_scripts, free_locks_are_all_taken_with_one_holder_and_one_fence)
{
    EXPECT_EQ(acquire_all('1', {"a", "b", "c"}), text("1 " + begin + " " + begin));
    EXPECT_EQ(holders(), names(3, set('1')));
    for (const auto* lock : {"a", "b", "c"}) {
        EXPECT_EQ(ask({"PTTL", lock}), ":9000|");
        EXPECT_EQ(fence(lock), text(begin));
        EXPECT_EQ(ask({"PTTL", fence_key(lock)}), ":86400000|");
    }
    EXPECT_EQ(heard(), "");
}

TEST_P(many_scripts, the_fence_is_greater_than_all_before_it_of_each_lock)
{
    ask({"SET", fence_key("b"), "1700000000000777"});
    ask({"SET", fence_key("c"), "12"});
    EXPECT_EQ(acquire_all('1', {"a", "b", "c"}), text("1 1700000000000778 " + begin));
    for (const auto* lock : {"a", "b", "c"}) EXPECT_EQ(fence(lock), text("1700000000000778"));
    release_all('1', {"a", "b", "c"});
    EXPECT_EQ(acquire('2', "a"), text("1 1700000000000779 " + begin));
}

TEST_P(many_scripts, if_one_is_busy_none_is_taken_and_the_caller_waits_for_that_one)
{
    acquire('1', "b", {.lease = 3s});
    EXPECT_EQ(acquire_all('2', {"a", "b", "c"}), text("0 3000 " + begin));
    EXPECT_EQ(holders(), (names{"", one('1'), ""}));
    EXPECT_EQ(waiting("a"), text(""));
    EXPECT_EQ(waiting("b"), text(part('2') + " "));
    EXPECT_EQ(waiting("c"), text(""));
}

TEST_P(many_scripts, a_caller_that_does_not_wait_leaves_nothing)
{
    acquire('1', "b");
    EXPECT_EQ(acquire_all('2', {"a", "b"}, {.join = false}), text("0 9000 " + begin));
    EXPECT_EQ(ask({"EXISTS", queue_key("a"), queue_key("b"), "a"}), ":0|");
}

TEST_P(many_scripts, a_single_lock_is_excluded_and_gets_its_turn)
{
    acquire_all('1', {"a", "b"});
    EXPECT_EQ(acquire('2', "a"), text("0 9000 " + begin));
    pass(1ms);
    EXPECT_EQ(release_all('1', {"a", "b"}), ":1|");
    EXPECT_EQ(holders(), (names{one('2'), "", ""}));
    EXPECT_EQ(heard(), grant(one('2'), "1700000000001000", "1700000000001000", "a"));
}

TEST_P(many_scripts, a_request_that_comes_too_late_changes_nothing)
{
    EXPECT_EQ(acquire_all('1', {"a", "b"}, {.wanted_until = "1699999999999999"}),
              text("-1 0 " + begin));
    EXPECT_EQ(holders(), names(3));
}

TEST_P(many_scripts, a_key_that_is_no_lock_leaves_all_free)
{
    ask({"LPUSH", "b", "no lock"});
    EXPECT_NE(acquire_all('1', {"a", "b"}).find("WRONGTYPE"), std::string::npos);
    EXPECT_EQ(holder("a"), "");
}

TEST_P(many_scripts, a_client_whose_lock_lingers_is_told_that_it_is_wanted)
{
    const auto lingers = one('1') + std::string{listening_client};
    if (is_hash()) {
        ask({"HSET", "b", lingers, "1"});
    } else {
        ask({"SET", "b", lingers});
    }
    acquire_all('2', {"a", "b"});
    EXPECT_EQ(heard(), message(channel_of(listening_client), "wanted b"));
}

// ── A part ──────────────────────────────────────────────────────────────────────────────────────

TEST_P(many_scripts, a_lock_that_is_handed_over_is_a_part_with_a_short_lease)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    pass(1ms);
    EXPECT_EQ(release('1', "a"), ":1|");
    EXPECT_EQ(holders(), (names{part('2'), "", ""}));
    EXPECT_EQ(ask({"PTTL", "a"}), ":1000|");
    EXPECT_EQ(heard(), grant(part('2'), "1700000000001000", "1700000000001000", "a"));
    EXPECT_EQ(acquire_all('2', {"a", "b"}, {.repeated = true}),
              text("1 1700000000001001 1700000000001000"));
    EXPECT_EQ(holders(), (names{set('2'), set('2'), ""}));
    EXPECT_EQ(ask({"PTTL", "a"}), ":9000|") << "the lease of the whole";
}

TEST_P(many_scripts, a_part_is_given_back_to_the_next_waiter_if_another_lock_is_busy)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    acquire('3', "a");
    acquire('4', "b");
    release('1', "a");
    ASSERT_EQ(holder("a"), part('2'));
    heard();
    EXPECT_EQ(acquire_all('2', {"a", "b"}, {.repeated = true}), text("0 9000 " + begin));
    EXPECT_EQ(holders(), (names{one('3'), one('4'), ""}));
    EXPECT_EQ(waiting("a"), text(""));
    EXPECT_EQ(waiting("b"), text(part('2') + " ")) << "it waits for the other one now";
    EXPECT_EQ(heard(), grant(one('3'), "1700000000000002", begin, "a"));
}

TEST_P(many_scripts, a_part_is_free_after_its_lease_if_the_waiter_has_crashed)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    release('1', "a");
    pass(999ms);
    EXPECT_EQ(code_of(acquire('3', "a", {.join = false})), "0") << "busy";
    pass(2ms);
    EXPECT_EQ(code_of(acquire('3', "a")), "1");
    EXPECT_EQ(holder("a"), one('3'));
}

TEST_P(many_scripts, two_sets_with_a_part_each_do_not_wait_for_each_other)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    acquire('3', "b");
    acquire_all('4', {"b", "a"});
    release('1', "a");
    release('3', "b");
    ASSERT_EQ(holders(), (names{part('2'), part('4'), ""}));
    EXPECT_EQ(code_of(acquire_all('4', {"b", "a"}, {.repeated = true})), "1");
    EXPECT_EQ(acquire_all('2', {"a", "b"}, {.repeated = true}), text("0 9000 " + begin));
    EXPECT_EQ(holders(), (names{set('4'), set('4'), ""}));
    EXPECT_EQ(waiting("a"), text(part('2') + " "));
}

TEST_P(many_scripts, a_token_that_begins_like_a_part_is_another_holder)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    const std::string token = "pAzQ-a-token-of-another-program1";
    ASSERT_EQ(token.size(), part('2').size());
    is_hash() ? ask({"HSET", "b", token, "1"}) : ask({"SET", "b", token});
    ask({"PEXPIRE", "b", "9000"});
    release('1', "a");
    ASSERT_EQ(holder("a"), part('2'));
    EXPECT_EQ(acquire_all('2', {"a", "b"}, {.repeated = true}), text("-2 9000 " + begin));
    EXPECT_EQ(holder("b"), token);
}

TEST_P(many_scripts, a_newcomer_does_not_take_the_part_of_a_waiter)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    release('1', "a");
    EXPECT_EQ(acquire_all('3', {"a", "c"}), text("0 1000 " + begin));
    EXPECT_EQ(holders(), (names{part('2'), "", ""}));
}

// ── Requests that come twice, or late ───────────────────────────────────────────────────────────

TEST_P(many_scripts, a_repeated_acquire_finds_its_grant)
{
    acquire_all('1', {"a", "b"});
    pass(1s);
    EXPECT_EQ(acquire_all('1', {"a", "b"}, {.repeated = true}),
              text("2 1700000001000000 1700000001000000"));
    EXPECT_EQ(ask({"PTTL", "a"}), ":9000|");
    EXPECT_EQ(code_of(acquire_all('1', {"a", "b"}, {.lease = 3s})), "2")
        << "the first one may come after its repetition";
    EXPECT_EQ(ask({"PTTL", "b"}), ":9000|") << "a lease is never shortened";
}

TEST_P(many_scripts, a_repeated_acquire_keeps_its_place)
{
    acquire('1', "b");
    acquire_all('2', {"a", "b"});
    acquire('3', "b");
    acquire_all('2', {"a", "b"}, {.repeated = true});
    acquire_all('2', {"a", "b"});
    EXPECT_EQ(waiting("b"), text(part('2') + " " + one('3') + " "));
}

TEST_P(many_scripts, a_late_acquire_does_not_give_back_a_set_that_is_held)
{
    acquire_all('1', {"a", "b", "c"});
    ask({"DEL", "b"});
    acquire('2', "b");
    EXPECT_EQ(code_of(acquire_all('1', {"a", "b", "c"})), "0") << "busy";
    EXPECT_EQ(holders(), (names{set('1'), one('2'), set('1')}));
}

TEST_P(many_scripts, a_grant_leaves_every_queue)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"}, {.stay = 20s});
    pass(9001ms);  // the lock ends with its lease, and no one is told
    acquire_all('2', {"a", "b"}, {.repeated = true});
    EXPECT_EQ(holders(), (names{set('2'), set('2'), ""}));
    EXPECT_EQ(waiting("a"), text(""));
}

TEST_P(many_scripts, a_repeated_release_does_not_free_the_next_holder)
{
    acquire_all('1', {"a", "b"});
    EXPECT_EQ(release_all('1', {"a", "b"}), ":1|");
    EXPECT_EQ(release_all('1', {"a", "b"}), ":0|");
    acquire_all('2', {"a", "b"});
    EXPECT_EQ(release_all('1', {"a", "b"}), ":-1|");
    EXPECT_EQ(holders(), (names{set('2'), set('2'), ""}));
}

// ── Giving back, renewing, checking ─────────────────────────────────────────────────────────────

TEST_P(many_scripts, a_waiter_that_gives_up_leaves_its_place_and_its_part)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    EXPECT_EQ(release_all('2', {"a", "b"}), ":-1|");
    EXPECT_EQ(waiting("a"), text(""));
    acquire_all('3', {"a", "b"});
    acquire('4', "a");
    release('1', "a");
    ASSERT_EQ(holder("a"), part('3'));
    EXPECT_EQ(release_all('3', {"a", "b"}), ":0|");
    EXPECT_EQ(holder("a"), one('4'));
}

TEST_P(many_scripts, a_release_gives_back_what_is_left)
{
    acquire_all('1', {"a", "b", "c"});
    ask({"DEL", "a"});
    ask({"DEL", "b"});
    ask({"LPUSH", "b", "no lock"});
    EXPECT_NE(release_all('1', {"a", "b", "c"}).find("WRONGTYPE"), std::string::npos);
    EXPECT_EQ(ask({"EXISTS", "a", "c"}), ":0|");
}

TEST_P(many_scripts, a_release_is_announced_for_each_lock)
{
    ask({"SUBSCRIBE", "lock:release:a", "lock:release:b"}, listener);
    heard();
    acquire_all('1', {"a", "b"});
    release_all('1', {"a", "b"}, {"first", "second"});
    EXPECT_EQ(heard(), message("lock:release:a", "first") + message("lock:release:b", "second"));
}

TEST_P(many_scripts, a_renewal_renews_all_locks_of_each_set_or_none)
{
    acquire_all('1', {"a", "b"});
    acquire_all('2', {"c"});
    pass(4s);
    EXPECT_EQ(renew({"a", "b", "c"}, {set('1'), "9000", "2", set('2'), "9000", "1"}), "*2|:1|:1|");
    for (const auto* lock : {"a", "b", "c"}) EXPECT_EQ(ask({"PTTL", lock}), ":9000|");
    ask({"DEL", "a"});
    pass(4s);
    EXPECT_EQ(renew({"a", "b", "c"}, {set('1'), "9000", "2", set('2'), "9000", "1"}), "*2|:0|:1|");
    EXPECT_EQ(ask({"PTTL", "b"}), ":5000|") << "the set is lost";
    EXPECT_EQ(ask({"PTTL", "c"}), ":9000|");
    acquire('3', "a");
    EXPECT_EQ(renew({"a", "b"}, {set('1'), "9000", "2"}), "*1|:-1|");
    EXPECT_EQ(renew({"c"}, {set('2'), "3000", "1"}), "*1|:1|");
    EXPECT_EQ(ask({"PTTL", "c"}), ":9000|") << "never shortened";
    ask({"DEL", "c"});
    ask({"LPUSH", "c", "no lock"});
    EXPECT_EQ(renew({"c"}, {set('2'), "9000", "1"}), "*1|:-2|");
}

TEST_P(many_scripts, a_part_is_not_renewed_and_is_not_the_whole)
{
    acquire('1', "a");
    acquire_all('2', {"a", "b"});
    release('1', "a");
    EXPECT_EQ(renew({"a", "b"}, {set('2'), "9000", "2"}), "*1|:-1|");
    EXPECT_EQ(check('2', {"a", "b"}), ":-1|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":1000|");
}

TEST_P(many_scripts, a_check_asks_about_all_locks)
{
    acquire_all('1', {"a", "b"});
    EXPECT_EQ(check('1', {"a", "b"}), ":1|");
    ask({"DEL", "b"});
    EXPECT_EQ(check('1', {"a", "b"}), ":0|");
    acquire('2', "b");
    EXPECT_EQ(check('1', {"a", "b"}), ":-1|");
}

INSTANTIATE_TEST_SUITE_P(layouts, many_scripts, testing::Bool(),
                         [](const auto& about) { return about.param ? "hash" : "plain"; });

}  // namespace
}  // namespace pawl::store::memory
