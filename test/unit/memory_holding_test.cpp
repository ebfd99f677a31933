// lock_options::longest_hold and lock_options::heartbeat, with the clock of a memory server.
#include "unit/memory_fixture.h"

#include <future>
#include <string>

namespace pawl::test {
namespace {

class memory_holding : public with_memory {
protected:
    static constexpr lock_options limited{.lease = 3s, .longest_hold = 10s};
    static constexpr lock_options beating{.lease = 3s, .heartbeat = 2s};

    [[nodiscard]] std::string refusal(const lock_options& options)
    {
        try {
            const mutex made{client_, "refused", options};
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::bad_argument);
            return problem.what();
        }
        return "accepted";
    }
};

TEST_F(memory_holding, ends_at_the_longest_time_on_both_sides)
{
    mutex lock{client_, "limited", limited};
    const hold held = lock.acquire();
    server_.advance(8s);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_GT(held.valid_for(), 0s);
    EXPECT_LE(held.valid_for(), 2s);
    EXPECT_TRUE(server_.is_locked("limited"));
    server_.advance(2s);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::held_too_long);
    EXPECT_TRUE(held.lost().stop_requested());
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0U);
    server_.advance(100ms);
    EXPECT_FALSE(server_.is_locked("limited")) << "the last renewal was shorter than the lease";
}

TEST_F(memory_holding, has_a_lease_that_is_not_longer_than_the_longest_time)
{
    mutex lock{client_, "limited", {.lease = 30s, .longest_hold = 5s}};
    const hold held = lock.acquire();
    EXPECT_LE(held.valid_for(), 5s);
    server_.advance(5s);
    EXPECT_EQ(held.why(), cause::held_too_long);
    server_.advance(100ms);
    EXPECT_FALSE(server_.is_locked("limited"));
}

TEST_F(memory_holding, is_renewed_in_time_after_the_release_of_a_lock_that_lingers)
{
    mutex lock{client_, "limited", {.lease = 3s, .linger = 1min, .longest_hold = 4s}};
    ASSERT_TRUE(eventually([&] {
        lock.acquire().release();
        return server_.is_locked("limited");
    })) << "it lingers only when the client listens";
    auto held = lock.acquire();
    server_.advance(1500ms);  // renewed until its end
    held.release();
    server_.advance(2s);
    server_.cut_off(client_);
    server_.advance(1s);
    EXPECT_TRUE(server_.is_locked("limited"));
    server_.reconnect(client_);
}

TEST_F(memory_holding, that_is_lost_cannot_be_ensured)
{
    mutex lock{client_, "limited", limited};
    auto held = lock.acquire();
    server_.lose("limited");
    server_.advance(9s);
    EXPECT_EQ(code_of([&] { held.ensure(5s); }), errc::lost);
}

TEST_F(memory_holding, has_its_own_time_for_each_hold_of_a_lock_that_lingers)
{
    mutex lock{client_, "limited", {.lease = 3s, .linger = 1min, .longest_hold = 10s}};
    ASSERT_TRUE(eventually([&] {
        lock.acquire().release();
        return server_.is_locked("limited");
    })) << "it lingers only when the client listens";
    hold first = lock.acquire();
    const std::string id = first.id();
    server_.advance(6s);
    first.release();
    server_.advance(20s);
    const hold second = lock.acquire();
    EXPECT_EQ(second.id(), id) << "without the server";
    server_.advance(8s);
    EXPECT_EQ(second.state(), hold_state::held);
    server_.advance(2s);
    EXPECT_EQ(second.why(), cause::held_too_long);
}

TEST_F(memory_holding, has_its_own_time_for_a_hold_that_is_passed_on)
{
    mutex lock{client_, "limited", limited};
    hold first = lock.acquire();
    auto next = std::async(std::launch::async, [&] { return lock.acquire(); });
    server_.advance(6s);
    first.release();
    const hold second = next.get();
    server_.advance(8s);
    EXPECT_EQ(second.state(), hold_state::held);
    server_.advance(2s);
    EXPECT_EQ(second.why(), cause::held_too_long);
}

TEST_F(memory_holding, is_not_prolonged_by_a_re_entry)
{
    recursive_mutex lock{client_, "limited", limited};
    hold outer = lock.acquire();
    server_.advance(8s);
    hold inner = lock.acquire();
    EXPECT_LE(inner.valid_for(), 2s);
    inner.release();
    server_.advance(2s);
    EXPECT_EQ(outer.why(), cause::held_too_long);
    EXPECT_EQ(code_of([&] { outer.release(); }), errc::lost);
}

TEST_F(memory_holding, is_extended_to_the_longest_time_at_most)
{
    mutex lock{client_, "limited", {.lease = 3s, .renew = false, .longest_hold = 10s}};
    hold held = lock.acquire();
    held.extend(1h);
    EXPECT_GT(held.valid_for(), 9s);
    EXPECT_LE(held.valid_for(), 10s);
    server_.advance(10s);
    EXPECT_EQ(held.why(), cause::held_too_long);
    server_.advance(200ms);
    EXPECT_FALSE(server_.is_locked("limited"));
}

TEST_F(memory_holding, is_not_ensured_beyond_the_longest_time)
{
    mutex lock{client_, "limited", limited};
    hold held = lock.acquire();
    held.ensure(8s);
    EXPECT_GE(held.valid_for(), 8s);
    try {
        held.ensure(11s);
        ADD_FAILURE() << "ensured";
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::bad_argument);
        EXPECT_NE(std::string{problem.what()}.find("longest_hold allows"), std::string::npos)
            << problem.what();
    }
    EXPECT_EQ(held.state(), hold_state::held);
}

TEST_F(memory_holding, goes_on_while_the_holder_makes_progress)
{
    mutex lock{client_, "beating", beating};
    hold held = lock.acquire();
    for (int i = 0; i < 20; ++i) {
        server_.advance(1s);
        ASSERT_TRUE(held.beat()) << i;
        ASSERT_EQ(held.state(), hold_state::held) << i;
    }
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0U);
}

TEST_F(memory_holding, is_in_jeopardy_without_progress_and_recovers_with_it)
{
    mutex lock{client_, "beating", beating};
    hold held = lock.acquire();
    server_.advance(3200ms);
    EXPECT_EQ(held.state(), hold_state::jeopardy);
    EXPECT_EQ(held.why(), cause::no_beat);
    EXPECT_EQ(events_.first(hold_state::jeopardy).why, cause::no_beat);
    EXPECT_TRUE(held.beat());
    server_.advance(300ms);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(held.why(), cause::none);
}

TEST_F(memory_holding, ends_without_progress_after_the_heartbeat_and_a_lease)
{
    mutex lock{client_, "beating", beating};
    hold held = lock.acquire();
    server_.advance(5s);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::no_beat);
    EXPECT_FALSE(held.beat()) << "too late";
    EXPECT_EQ(held.why(), cause::no_beat);
    server_.advance(100ms);
    EXPECT_FALSE(server_.is_locked("beating"));
}

TEST_F(memory_holding, of_readers_is_not_shared_when_it_needs_a_heartbeat)
{
    shared_mutex lock{client_, "beating", beating};
    hold working = lock.acquire_shared();
    hold stuck = lock.acquire_shared();
    EXPECT_NE(working.id(), stuck.id());
    for (int i = 0; i < 5; ++i) {
        server_.advance(1s);
        working.beat();
    }
    EXPECT_EQ(working.state(), hold_state::held);
    EXPECT_EQ(stuck.why(), cause::no_beat);
}

TEST_F(memory_holding, without_a_heartbeat_beats_only_say_whether_the_lock_is_held)
{
    hold held = mutex_.acquire();
    EXPECT_TRUE(held.beat());
    held.release();
    EXPECT_FALSE(held.beat());
    EXPECT_FALSE(hold{}.beat());
}

TEST_F(memory_holding, has_limits_that_are_checked)
{
    EXPECT_EQ(refusal({.longest_hold = 9ms}),
              "longest_hold: 9 ms (allowed: 0, or 10 ms to 30 days)");
    EXPECT_EQ(refusal({.longest_hold = -1ms}),
              "longest_hold: -1 ms (allowed: 0, or 10 ms to 30 days)");
    EXPECT_EQ(refusal({.longest_hold = 30 * 24h + 1ms}),
              "longest_hold: 2592000001 ms (allowed: 0, or 10 ms to 30 days)");
    EXPECT_EQ(refusal({.heartbeat = 9ms}), "heartbeat: 9 ms (allowed: 0, or 10 ms to 24 h)");
    EXPECT_EQ(refusal({.heartbeat = 24h + 1ms}),
              "heartbeat: 86400001 ms (allowed: 0, or 10 ms to 24 h)");
    EXPECT_EQ(refusal({.renew = false, .heartbeat = 1s}),
              "heartbeat: 1000 ms with renew = false (allowed: 0, or renew = true)");
    EXPECT_EQ(refusal({.longest_hold = 10ms, .heartbeat = 10ms}), "accepted");
    EXPECT_EQ(refusal({.longest_hold = 30 * 24h, .heartbeat = 24h}), "accepted");
    EXPECT_EQ(refusal({.renew = false, .longest_hold = 1s}), "accepted");
}

}  // namespace
}  // namespace pawl::test
