// pawl::lock_set and pawl::acquire_all on a memory server.
#include "unit/memory_waiters_fixture.h"

#include <pawl/coro.h>
#include <pawl/futures.h>

#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

class memory_lock_set : public with_waiters {
protected:
    using names = std::vector<std::string>;

    // Another thread wants a set. When this returns, it has a place in the queue of `lock`.
    [[nodiscard]] std::future<hold> wait_for_set(acquirable& set, const std::string& lock,
                                                 std::int64_t all = 1)
    {
        auto waiting = std::async(std::launch::async, [&set] { return set.acquire(); });
        EXPECT_TRUE(eventually([&] { return queue_.length(lock) == all; }));
        return waiting;
    }

    [[nodiscard]] bool is_held_by(const hold& who, const names& locks)
    {
        for (const auto& lock : locks) {
            if (server_.holder(lock) != who.id()) return false;
        }
        return true;
    }

    [[nodiscard]] bool is_empty(const names& locks)
    {
        for (const auto& lock : locks) {
            if (server_.is_locked(lock) || queue_.length(lock) != 0) return false;
        }
        return true;
    }

    // With this lease, a waiter looks only after hours.
    lock_set patient_{other_, {"a", "b"}, {.lease = 24h}};
    lock_set both_{client_, {"a", "b"}};
    mutex a_{client_, "a"};
    mutex b_{client_, "b"};
};

// ── The interface ───────────────────────────────────────────────────────────────────────────────

TEST_F(memory_lock_set, takes_all_locks_with_one_hold)
{
    auto held = acquire_all(client_, {"from:1", "to:2"});
    EXPECT_TRUE(is_held_by(held, {"from:1", "to:2"}));
    EXPECT_EQ(held.name(), "from:1, to:2");
    EXPECT_EQ(client_.holds().size(), 1U);
    EXPECT_TRUE(held.confirm());
    held.release();
    EXPECT_TRUE(is_empty({"from:1", "to:2"}));
}

TEST_F(memory_lock_set, takes_a_name_that_is_given_twice_once)
{
    lock_set set{client_, {"b", "a", "b"}};
    EXPECT_EQ(names(set.names().begin(), set.names().end()), (names{"a", "b"}));
    EXPECT_TRUE(is_held_by(set.acquire(), {"a", "b"}));
    EXPECT_EQ(set.name(), "a, b");
}

TEST_F(memory_lock_set, refuses_names_and_options_that_are_not_allowed)
{
    const auto text = [&](names given, const lock_options& how = {}) {
        try {
            lock_set{client_, std::move(given), how};
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::bad_argument);
            return std::string{e.what()};
        }
        return std::string{};
    };
    EXPECT_EQ(text({}), "names: 0 (allowed: 1 to 16)");
    names many;
    for (int i = 0; i < 17; ++i) many.push_back(std::to_string(i));
    EXPECT_EQ(text(many), "names: 17 (allowed: 1 to 16)");
    many.back() = many.front();
    EXPECT_EQ(text(many), "");
    EXPECT_EQ(text({"a", ""}), "lock name is empty (allowed: 1 to 512 bytes, any but NUL)");
    EXPECT_EQ(text({"a"}, {.linger = 1s}), "linger: 1000 ms of a lock_set (allowed: 0)");
}

TEST_F(memory_lock_set, works_with_the_locks_of_the_standard_library)
{
    {
        const std::scoped_lock guard{both_};
        EXPECT_NE(both_.current(), nullptr);
        EXPECT_EQ(code_of([&] { both_.lock(); }), errc::would_deadlock);
        EXPECT_FALSE(a_.try_lock());
    }
    const std::unique_lock later{both_, 1s};
    EXPECT_TRUE(later.owns_lock());
}

TEST_F(memory_lock_set, has_the_forms_with_an_error_code)
{
    std::error_code ec;
    {
        const auto held = acquire_all(client_, {"a", "b"}, {}, ec);
        EXPECT_FALSE(ec);
        EXPECT_FALSE(try_acquire_all(client_, {"b", "c"}, {}, ec));
        EXPECT_EQ(ec, errc::busy);
        EXPECT_FALSE(try_acquire_all(client_, {"b", "c"}));
        EXPECT_FALSE(try_acquire_all_for(client_, {"b", "c"}, 10ms));
    }
    // The caller above may still have its place: it is given up in the background.
    EXPECT_TRUE(try_acquire_all_for(client_, {"b", "c"}, 10s));
    EXPECT_TRUE(try_acquire_all(client_, {"b", "c"}));
    {
        std::stop_source stop;
        const auto held = acquire_all(client_, {"a", "b"}, {}, stop.get_token(), ec);
        EXPECT_FALSE(ec);
        EXPECT_TRUE(held);
        EXPECT_FALSE(try_acquire_all_for(client_, {"b", "c"}, 10ms, {}, ec));
        EXPECT_EQ(ec, errc::timed_out);
        stop.request_stop();
        EXPECT_FALSE(try_acquire_all_for(client_, {"b", "c"}, 1h, {}, stop.get_token(), ec));
        EXPECT_EQ(ec, errc::cancelled);
        EXPECT_FALSE(acquire_all(client_, {"b", "c"}, {}, stop.get_token(), ec));
        EXPECT_EQ(ec, errc::cancelled);
        EXPECT_FALSE(try_acquire_all_for(client_, {}, 10ms, {}, ec));
        EXPECT_EQ(ec, errc::bad_argument);
    }
    EXPECT_FALSE(acquire_all(client_, {}, {}, ec));
    EXPECT_EQ(ec, errc::bad_argument);
}

TEST_F(memory_lock_set, has_futures)
{
    auto held = futures::acquire(both_).get();
    EXPECT_FALSE(futures::try_acquire(patient_).get());
    auto waiting = futures::acquire(patient_);
    ASSERT_TRUE(eventually([&] { return queue_.length("a") == 1; }));
    futures::release(std::move(held)).get();
    EXPECT_TRUE(is_held_by(waiting.get(), {"a", "b"}));
}

TEST_F(memory_lock_set, can_share_recursive_mutexes_with_the_hash_layout)
{
    recursive_mutex again{client_, "a"};
    lock_set set{client_, {"a", "b"}, {.layout = layout::hash}};
    auto held = set.acquire();
    EXPECT_FALSE(again.try_acquire());
    server_.advance(1h);
    EXPECT_TRUE(held.confirm()) << "it is renewed";
    held.release();
    EXPECT_TRUE(again.try_acquire());
}

// ── Together with single locks ──────────────────────────────────────────────────────────────────

TEST_F(memory_lock_set, is_excluded_by_a_mutex_of_one_of_the_names)
{
    auto held = b_.acquire();
    EXPECT_FALSE(both_.try_acquire());
    EXPECT_FALSE(server_.is_locked("a")) << "all or none";
    held.release();
    auto set = both_.acquire();
    EXPECT_FALSE(b_.try_acquire());
    fair_mutex fair{other_, "a"};
    EXPECT_FALSE(fair.try_acquire());
}

TEST_F(memory_lock_set, holds_none_of_the_locks_while_it_waits)
{
    auto held = b_.acquire();
    auto waiting = wait_for_set(patient_, "b");
    EXPECT_TRUE(a_.try_acquire()) << "free for others";
    held.release();
    const auto got = waiting.get();
    EXPECT_TRUE(is_held_by(got, {"a", "b"}));
    EXPECT_GT(got.fence(), held.fence());
}

TEST_F(memory_lock_set, gives_back_a_part_and_waits_for_the_next_busy_lock)
{
    auto first = a_.acquire();
    auto second = b_.acquire();
    auto waiting = wait_for_set(patient_, "a");
    first.release();
    ASSERT_TRUE(eventually([&] { return queue_.length("b") == 1; }));
    EXPECT_FALSE(server_.is_locked("a"));
    EXPECT_EQ(queue_.length("a"), 0);
    EXPECT_FALSE(is_ready(waiting));
    second.release();
    EXPECT_TRUE(is_held_by(waiting.get(), {"a", "b"}));
    EXPECT_TRUE(eventually([&] { return is_empty({"a", "b"}); }));
}

TEST_F(memory_lock_set, hands_each_lock_over_to_its_own_waiter)
{
    auto held = both_.acquire();
    mutex one{other_, "a", {.lease = 24h}};
    mutex two{other_, "b", {.lease = 24h}};
    auto first = wait_for(one);
    auto second = wait_for(two);
    held.release();
    EXPECT_GT(first.get().fence(), held.fence());
    EXPECT_GT(second.get().fence(), held.fence());
}

TEST_F(memory_lock_set, of_two_that_name_the_locks_in_opposite_order_both_get_their_turn)
{
    constexpr int turns = 200;
    int inside = 0;
    const auto work = [&](client& who, names given) {
        lock_set set{who, std::move(given)};
        for (int i = 0; i < turns; ++i) {
            const std::scoped_lock guard{set};
            const int others = inside++;
            EXPECT_EQ(others, 0);
            --inside;
        }
    };
    std::jthread one{[&] { work(client_, {"a", "b", "c"}); }};
    std::jthread two{[&] { work(other_, {"c", "b", "a"}); }};
    one.join();
    two.join();
    EXPECT_TRUE(eventually([&] { return is_empty({"a", "b", "c"}); }));
}

TEST_F(memory_lock_set, sets_that_overlap_in_a_ring_all_get_their_turn)
{
    constexpr int turns = 100;
    std::vector<std::jthread> threads;
    std::vector<std::unique_ptr<client>> clients;
    const std::vector<names> rings{{"a", "b"}, {"b", "c"}, {"c", "a"}, {"a"}};
    for (const auto& given : rings) {
        clients.push_back(std::make_unique<client>(options()));
        threads.emplace_back([&who = *clients.back(), given] {
            for (int i = 0; i < turns; ++i) static_cast<void>(acquire_all(who, given).fence());
        });
    }
    threads.clear();
    EXPECT_TRUE(eventually([&] { return is_empty({"a", "b", "c"}); }));
}

TEST_F(memory_lock_set, works_beside_a_scoped_lock_of_mutexes)
{
    constexpr int turns = 50;
    const auto work = [&](client& who, const std::string& first, const std::string& second) {
        mutex one{who, first};
        mutex two{who, second};
        for (int i = 0; i < turns; ++i) const std::scoped_lock guard{one, two};
    };
    std::jthread one{[&] { work(client_, "a", "b"); }};
    std::jthread two{[&] { work(other_, "b", "a"); }};
    for (int i = 0; i < turns; ++i) static_cast<void>(acquire_all(client_, {"a", "b"}).fence());
    one.join();
    two.join();
    EXPECT_TRUE(eventually([&] { return is_empty({"a", "b"}); }));
}

// ── Giving up, crashes, lost answers ────────────────────────────────────────────────────────────

TEST_F(memory_lock_set, leaves_nothing_when_it_is_cancelled)
{
    auto held = b_.acquire();
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
        return code_of([&] { static_cast<void>(patient_.acquire(stop.get_token())); });
    });
    ASSERT_TRUE(eventually([&] { return queue_.length("b") == 1; }));
    stop.request_stop();
    EXPECT_EQ(waiting.get(), errc::cancelled);
    EXPECT_TRUE(eventually([&] { return queue_.length("b") == 0; }));
    held.release();
    EXPECT_TRUE(is_empty({"a", "b"}));
}

TEST_F(memory_lock_set, leaves_nothing_when_its_limit_passes)
{
    auto held = b_.acquire();
    auto waiting =
        std::async(std::launch::async, [&] { return patient_.try_acquire_for(1h).has_value(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("b") == 1; }));
    EXPECT_FALSE(get(waiting));
    EXPECT_TRUE(eventually([&] { return queue_.length("b") == 0; }));
    held.release();
    EXPECT_TRUE(is_empty({"a", "b"}));
}

TEST_F(memory_lock_set, gives_back_what_was_granted_when_the_answer_is_lost)
{
    server_.freeze();
    std::error_code ec;
    std::stop_source stop;
    auto asking =
        std::async(std::launch::async, [&] { return both_.acquire(stop.get_token(), ec).state(); });
    ASSERT_TRUE(eventually([&] { return queue_.unanswered() > 0; }));
    stop.request_stop();
    static_cast<void>(asking.get());
    EXPECT_EQ(ec, errc::cancelled);
    server_.thaw();
    EXPECT_TRUE(eventually([&] {
        server_.advance(500ms);
        return is_empty({"a", "b"});
    }));
}

TEST_F(memory_lock_set, frees_a_part_of_a_client_that_crashed_within_a_second)
{
    auto held = a_.acquire();
    auto other = b_.acquire();
    auto waiting = wait_for_set(patient_, "a");
    server_.cut_off(other_);
    held.release();
    EXPECT_TRUE(server_.holder("a").value_or("").starts_with("pA"))
        << "the server takes it for alive";
    EXPECT_FALSE(a_.try_acquire());
    server_.advance(1001ms);
    EXPECT_TRUE(a_.try_acquire());
    server_.reconnect(other_);
    other.release();
    EXPECT_TRUE(is_held_by(get(waiting), {"a", "b"}));
}

TEST_F(memory_lock_set, gets_its_turn_although_the_message_about_a_part_is_lost)
{
    lock_set set{other_, {"a", "b"}, {.lease = 30s}};
    auto held = a_.acquire();
    auto waiting = wait_for_set(set, "a");
    server_.lose("a");  // no one is told
    EXPECT_TRUE(is_held_by(get(waiting), {"a", "b"}));
}

// ── Loss ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_lock_set, is_renewed_as_a_whole)
{
    auto held = both_.acquire();
    server_.advance(1h);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_TRUE(is_held_by(held, {"a", "b"}));
}

TEST_F(memory_lock_set, is_lost_once_if_one_of_its_locks_is_lost)
{
    auto held = both_.acquire();
    const auto told = held.lost();
    server_.lose("b");
    server_.advance(10s);
    EXPECT_TRUE(told.stop_requested());
    EXPECT_EQ(held.why(), cause::vanished);
    EXPECT_EQ(events_.count(hold_state::lost), 1U);
    EXPECT_TRUE(server_.is_locked("a")) << "until the holder has stopped its work";
    EXPECT_EQ(code_of([&] { held.release(); }), errc::lost);
    EXPECT_TRUE(eventually([&] { return is_empty({"a", "b"}); }));
}

TEST_F(memory_lock_set, that_is_lost_and_not_released_ends_with_its_lease)
{
    const auto held = both_.acquire();
    server_.lose("b");
    server_.advance(10s);
    ASSERT_EQ(held.state(), hold_state::lost);
    server_.advance(30s);
    EXPECT_FALSE(server_.is_locked("a"));
}

TEST_F(memory_lock_set, notices_a_loss_when_it_is_released)
{
    auto held = both_.acquire();
    server_.lose("a");
    EXPECT_EQ(code_of([&] { held.release(); }), errc::lost);
    EXPECT_TRUE(is_empty({"a", "b"}));
}

TEST_F(memory_lock_set, is_extended_as_a_whole)
{
    lock_set brief{client_, {"a", "b"}, {.lease = 10s, .renew = false}};
    auto held = brief.acquire();
    held.extend(1h);
    server_.advance(30min);
    EXPECT_TRUE(is_held_by(held, {"a", "b"}));
    server_.lose("a");
    EXPECT_EQ(code_of([&] { held.extend(2h); }), errc::lost);
}

}  // namespace
}  // namespace pawl::test
