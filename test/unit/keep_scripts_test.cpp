// pawl's scripts in the in-process Redis: fences, keeping a lock, and messages.
#include "unit/queue_scripts_fixture.h"

#include <string>
#include <string_view>

namespace pawl::store::memory {
namespace {

constexpr std::string_view lingering_holder = "p0112233445566778899aabbccddeeff0123456789abcdef";

// ── Fences ──────────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, reserved_fences_are_given_to_no_other_holder)
{
    EXPECT_EQ(acquire("h", {.reserve = 1000}), answer("1 1700000000000000 1700000000000000"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001000|");
    ask({"DEL", "a"});  // the holder is gone, so the fences that it used are unknown
    EXPECT_EQ(acquire("x"), answer("1 1700000000001001 1700000000000000"));
}

TEST_P(queue_scripts, a_release_that_reports_the_used_fences_returns_the_others)
{
    acquire("h", {.reserve = 1000});
    EXPECT_EQ(release("h", {.used = "1700000000000003", .reserve = true}), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000003|");
    EXPECT_EQ(acquire("x"), answer("1 1700000000000004 1700000000000000"));
}

TEST_P(queue_scripts, a_hand_over_has_a_higher_fence_than_those_that_were_used)
{
    acquire("h", {.reserve = 1000});
    acquire("x", {.reserve = 7});
    EXPECT_EQ(release("h", {.used = "1700000000000003", .reserve = true}), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000004", "1700000000000000"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000011|") << "with the fences reserved for x";
}

TEST_P(queue_scripts, a_release_without_a_reserve_does_not_change_the_fence)
{
    acquire("h");
    ask({"SET", "f", "1700000000000005"});
    EXPECT_EQ(release("h", {.used = "1700000000000000"}), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000005|");
}

TEST_P(queue_scripts,
       a_release_with_its_fence_hands_over_with_a_higher_one_even_if_the_fence_key_is_gone)
{
    acquire("h");
    acquire("x");
    ask({"DEL", "f"});
    pass(-1s);
    EXPECT_EQ(release("h", {.used = "1700000000000000"}), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1699999999000000"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000001|");
}

TEST_P(queue_scripts, a_release_without_its_fence_hands_over_with_a_higher_one_than_the_last)
{
    acquire("h");
    acquire("x");
    pass(-1s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1699999999000000"));
}

TEST_P(queue_scripts, a_fence_ahead_of_the_clock_is_kept_until_the_clock_has_passed_it)
{
    acquire("h", {.reserve = 9999});
    EXPECT_EQ(ask({"PTTL", "f"}), ":86400010|");
    pass(-1h);
    EXPECT_EQ(release("h", {.used = "1700000000000003", .reserve = true}), ":1|");
    EXPECT_EQ(ask({"PTTL", "f"}), ":90000001|");
}

TEST_P(queue_scripts, a_lock_whose_fence_key_has_another_type_is_not_taken)
{
    ask({"HSET", "f", "x", "1"});
    EXPECT_TRUE(acquire("h").starts_with("-WRONGTYPE"));
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
    ask({"DEL", "f"});
    acquire("h");
    ask({"DEL", "f"});
    ask({"HSET", "f", "x", "1"});
    EXPECT_TRUE(acquire("h", {.repeated = true}).starts_with("-WRONGTYPE"));
    EXPECT_EQ(holder(), "h|") << "the holder keeps the lock";
}

TEST_P(queue_scripts, an_invalid_fence_is_replaced)
{
    ask({"SET", "f", "nonsense"});
    EXPECT_EQ(acquire("h"), answer("1 1700000000000000 1700000000000000"));
    EXPECT_EQ(ask({"PTTL", "f"}), ":86400000|");
}

// ── Keeping ─────────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, a_lock_without_waiters_may_be_kept)
{
    acquire("h");
    pass(1s);
    EXPECT_EQ(keep("h"), answer("1 1700000001000000"));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|") << "the lease starts again";
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000001001000|");
}

TEST_P(queue_scripts, a_keep_never_shortens_the_lease)
{
    acquire("h");
    ask({"PEXPIRE", "a", "50000"});
    keep("h");
    EXPECT_EQ(ask({"PTTL", "a"}), ":50000|");
}

TEST_P(queue_scripts, a_kept_lock_has_a_higher_fence_than_those_that_were_used)
{
    acquire("h", {.reserve = 1000});
    EXPECT_EQ(keep("h", "1700000000000003", "7"), answer("1 1700000000001001"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001008|");
}

TEST_P(queue_scripts, a_lock_with_a_waiter_is_handed_over_and_not_kept)
{
    acquire("h", {.reserve = 1000});
    acquire("x");
    EXPECT_EQ(keep("h", "1700000000000003"), answer("2 0"));
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000000000004", "1700000000000000"));
}

TEST_P(queue_scripts, a_lock_is_kept_if_no_waiter_listens)
{
    acquire("h");
    acquire("deaf", {.client = deaf_client});
    EXPECT_TRUE(keep("h").starts_with("$18|1 "));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_keep_is_granted_once)
{
    acquire("h");
    const auto late = [&] {
        return keep_known_by("1700000000000000", "h", "1700000000000000", "1000");
    };
    EXPECT_TRUE(late().starts_with("$18|1 "));
    acquire("x");
    EXPECT_EQ(late(), answer("-2 0"));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(heard(), "");
}

TEST_P(queue_scripts, a_keep_is_granted_once_even_if_the_fence_has_grown_since)
{
    acquire("h", {.reserve = 7});
    const auto last = std::string{"1700000000000007"};
    const auto wish = [&] { return keep_known_by(last, "h", "1700000000000000", "7"); };
    pass(-1h);
    ask({"INCRBY", "f", "7"});
    EXPECT_EQ(wish(), answer("1 1700000000000015"));
    EXPECT_EQ(wish(), answer("-2 0"));
    ask({"SET", "f", "1700000000000015"});
    EXPECT_EQ(wish(), answer("-2 0")) << "the number has grown by more than the keep reserves";
    ask({"SET", "f", "1700000000000006"});
    EXPECT_EQ(wish(), answer("-2 0"));
}

TEST_P(queue_scripts, a_busy_acquire_gives_an_expiry_to_a_fence_that_was_created_for_nothing)
{
    acquire("h");
    ask({"DEL", "f"});
    ask({"INCR", "f"});
    const auto say = [&](bool mend) { return acquire("x", {.join = false, .mend = mend}); };
    EXPECT_EQ(say(false), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(ask({"PTTL", "f"}), ":-1|");
    EXPECT_EQ(say(true), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(ask({"PTTL", "f"}), ":86400000|");
    EXPECT_EQ(waiting(), "*0|") << "flag 8 has no effect on the queue";
    release("h");
    EXPECT_EQ(say(true), answer("1 1700000000000000 1700000000000000"));
}

TEST_P(queue_scripts, a_lock_that_is_gone_or_has_another_holder_is_not_kept)
{
    EXPECT_EQ(keep("h"), answer("0 0"));
    acquire("x");
    EXPECT_EQ(keep("h"), answer("-1 0"));
    EXPECT_EQ(holder(), "x|");
}

// ── Messages ────────────────────────────────────────────────────────────────────────────────────

TEST_P(queue_scripts, a_client_with_a_lingering_lock_is_told_that_it_is_wanted)
{
    listen("pawl:client:0123456789abcdef");
    acquire(lingering_holder);
    EXPECT_EQ(heard(), "");
    acquire("x", {.join = false});
    EXPECT_EQ(heard(), message("pawl:client:0123456789abcdef", "wanted a"));
}

TEST_P(queue_scripts, a_release_is_announced_whether_it_is_handed_over_or_not)
{
    listen("lock:release:a");
    const auto announced = message("lock:release:a", "news");
    acquire("h");
    EXPECT_EQ(release("h", {.announcement = "news"}), ":1|");
    EXPECT_EQ(heard(), announced);
    EXPECT_EQ(release("h", {.announcement = "news"}), ":0|");
    EXPECT_EQ(heard(), "") << "there was nothing to release";
    acquire("h", {.reserve = 7});
    EXPECT_EQ(release("h", {.used = "1700000000000001", .reserve = true, .announcement = "news"}),
              ":1|");
    EXPECT_EQ(heard(), announced);
    acquire("h");
    acquire("x");
    EXPECT_EQ(release("h", {.announcement = "news"}), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000000003", "1700000000000000") + announced);
}

TEST_P(queue_scripts, a_keep_that_hands_over_is_announced)
{
    listen("lock:release:a");
    acquire("h");
    acquire("x");
    EXPECT_EQ(keep_known_by("1700000000000000", "h", "1700000000000000", "7", "news"),
              answer("2 0"));
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1700000000000000") +
                           message("lock:release:a", "news"));
}

TEST_P(queue_scripts, full_memory_allows_hand_overs_but_no_new_waiters)
{
    acquire("h");
    acquire("x");
    engine_.refuse_writes(true);
    EXPECT_TRUE(acquire("y").starts_with("-OOM"));
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_TRUE(keep("x").starts_with("$18|1 "));
}

}  // namespace
}  // namespace pawl::store::memory
