// Waiting in acquire_machine for a lock that no message may announce.
#include "unit/acquire_wait_fixture.h"

#include <utility>

namespace pawl::core {
namespace {

busy without_a_place(milliseconds left = -1ms)
{
    return {.left = left};
}

// ── Without a place ─────────────────────────────────────────────────────────────────────────────

TEST_F(waiting_in_the_queue, without_a_place_asks_again_after_short_pauses_that_grow)
{
    for (const auto& [jitter, part] : {std::pair{1.0, 1000us}, std::pair{0.0, 500us}}) {
        auto m = machine(time_limit::never(), 9s, jitter);
        auto step = m.start(at(0));
        auto now = at(1);
        for (const int pause : {2, 4, 8, 16, 32, 64, 100, 100}) {
            step = m.answered(without_a_place(), now);
            ASSERT_EQ(step.what, kind::pause);
            EXPECT_EQ(step.until, now + pause * part);
            now = step.until;
            step = m.on_time(now);
            ASSERT_EQ(step.what, kind::send);
            EXPECT_TRUE(sent(step).wait);
            EXPECT_FALSE(sent(step).repeated) << "nothing was stored at the server";
        }
    }
}

TEST_F(waiting_in_the_queue, that_loses_its_place_asks_again_soon)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    for (int i = 0; i < 5; ++i) {
        static_cast<void>(m.answered(without_a_place(), at(100 * i)));
        static_cast<void>(m.on_time(at(100 * i + 50)));
    }
    static_cast<void>(m.answered(queued(), at(1000)));
    auto step = m.on_time(at(1100));
    step = m.answered(without_a_place(), at(1101));
    ASSERT_EQ(step.what, kind::pause);
    EXPECT_EQ(step.until, at(1101 + 2)) << "the first pause again";
    EXPECT_TRUE(sent(m.on_time(step.until)).repeated) << "the place may still exist";
}

// ── Behind the holder of another library ────────────────────────────────────────────────────────

busy behind(held_by holder, bool in_queue = true)
{
    auto got = in_queue ? queued(10s) : without_a_place(10s);
    got.holder = holder;
    return got;
}

TEST_F(waiting_in_the_queue, behind_a_holder_that_announces_nothing_looks_every_20_to_100_ms)
{
    for (const auto& [jitter, pause] : {std::pair{0.0, 20}, std::pair{1.0, 100}}) {
        auto m = machine(time_limit::never(), 30s, jitter);
        static_cast<void>(m.start(at(0)));
        auto step = m.answered(behind(held_by::foreign), at(1));
        ASSERT_EQ(step.what, kind::wait) << "it may still be granted by hand-over";
        EXPECT_EQ(step.until, at(1 + pause));
        step = m.on_time(step.until);
        ASSERT_EQ(step.what, kind::send);
        step = m.answered(behind(held_by::pawl), step.until);
        EXPECT_GT(step.until - at(1), 9s) << "back to waiting when the holder is pawl's";
    }
}

TEST_F(waiting_in_the_queue, ends_when_a_value_that_is_not_a_holder_was_seen_twice)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(behind(held_by::no_lock), at(1));
    ASSERT_EQ(step.what, kind::wait) << "its expiry may be set soon";
    EXPECT_LE(step.until, at(101));
    step = m.on_time(at(5));  // the client listens from now on, so the waiter was woken
    ASSERT_EQ(m.answered(behind(held_by::no_lock), at(6)).what, kind::wait) << "not yet";
    step = m.on_time(at(101));
    ASSERT_EQ(m.answered(behind(held_by::no_lock), at(102)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::not_a_lock);
    EXPECT_NE(m.result().detail, "");
    EXPECT_TRUE(m.result().uncertain) << "the place must be given up";
    EXPECT_EQ(m.result().wanted_until, base::boot_time{}) << "no request can still arrive";
}

TEST_F(waiting_in_the_queue, goes_on_if_the_second_look_finds_a_holder)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    for (const auto seen : {held_by::no_lock, held_by::foreign, held_by::no_lock}) {
        const auto step = m.answered(behind(seen), at(1));
        ASSERT_EQ(step.what, kind::wait);
        static_cast<void>(m.on_time(step.until));
    }
}

TEST_F(waiting_in_the_queue, is_not_needed_to_see_twice_that_a_value_is_not_a_holder)
{
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    const auto step = m.answered(behind(held_by::no_lock, false), at(1));
    ASSERT_EQ(step.what, kind::pause);
    EXPECT_LE(step.until, at(101));
    static_cast<void>(m.on_time(step.until));
    ASSERT_EQ(m.answered(behind(held_by::no_lock, false), at(102)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::not_a_lock);
}

}  // namespace
}  // namespace pawl::core
