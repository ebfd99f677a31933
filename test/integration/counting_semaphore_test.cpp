// pawl::counting_semaphore against a real server, in several processes and with faults.
#include "integration/child.h"
#include "integration/fixture.h"
#include "support/fault_proxy.h"
#include "support/shared_file.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <future>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

constexpr unsigned capacity = 5;
constexpr int threads = 6;
constexpr int rounds = 60;

// What all processes count together.
struct tally {
    std::atomic<unsigned> out;
    std::atomic<unsigned> most_out;
    std::atomic<unsigned> grants;
    std::atomic<unsigned> fences_that_did_not_grow;
};

// The permits are counted in after the grant, and out before the release. So the count is never
// greater than what the server has given out.
void work(tally& all, hold held, unsigned permits, std::uint64_t& last_fence)
{
    const unsigned now = all.out += permits;
    unsigned most = all.most_out;
    while (most < now && !all.most_out.compare_exchange_weak(most, now)) {
    }
    if (held.fence() <= last_fence) ++all.fences_that_did_not_grow;
    last_fence = held.fence();
    ++all.grants;
    std::this_thread::sleep_for(std::chrono::microseconds{50 + held.fence() % 400});
    all.out -= permits;
    held.release();
}

int take_permits(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    const shared_file<tally> all{arguments.at(1)};
    counting_semaphore seats{own, "seats", capacity, quick(10s)};
    std::vector<std::jthread> crew;
    for (unsigned t = 0; t < threads; ++t) {
        crew.emplace_back([&, t] {
            std::uint64_t last_fence = 0;
            for (unsigned i = 0; i < rounds; ++i) {
                const unsigned permits = 1 + (t + i) % capacity;
                work(*all, seats.acquire(permits), permits, last_fence);
            }
        });
    }
    return 0;
}

// Has permits until it is told to release them.
int hold_permits(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    counting_semaphore seats{own, "seats", capacity, quick(700ms)};
    hold held = seats.acquire(4);
    say("fence " + std::to_string(held.fence()));
    hear();
    return 0;
}

const child_role taking{"taking permits", take_permits};
const child_role holding{"holding permits", hold_permits};

class counting_semaphores : public with_server {
protected:
    // The permits that are out, as the server counts them.
    [[nodiscard]] int out()
    {
        const redis_value value = probe_.must({"ZSCORE", "seats", "out"});
        return value.is_nil() ? 0 : -std::stoi(value.text);
    }

    // Whether no permit is out, and nobody waits.
    [[nodiscard]] bool nothing_is_left()
    {
        const auto members = probe_.must({"ZCARD", "seats"}).integer;
        return out() == 0 && members <= 2 && !probe_.exists("pawl:queue:{seats}");
    }

    [[nodiscard]] bool until_queued(std::int64_t waiters)
    {
        return eventually(
            [&] { return probe_.must({"LLEN", "pawl:queue:{seats}"}).integer == 2 * waiters; });
    }

    temp_dir files_;
    client own_{options()};
    client other_{options()};
    counting_semaphore seats_{own_, "seats", capacity, quick(10s)};
    counting_semaphore wanted_{other_, "seats", capacity, quick(10s)};
};

TEST_F(counting_semaphores, never_give_out_more_permits_than_there_are)
{
    constexpr int processes = 3;
    const std::string path = files_.file("tally");
    const shared_file<tally> all{path};
    std::vector<process> running;
    for (int p = 0; p < processes; ++p) {
        running.push_back(taking.start({server_.unix_url(), path}));
    }
    for (process& one : running) EXPECT_EQ(one.wait(100s), exited(0)) << one.err();
    EXPECT_EQ(all->grants, static_cast<unsigned>(processes * threads * rounds));
    EXPECT_LE(all->most_out, capacity);
    EXPECT_GT(all->most_out, 1U) << "several were in at the same time";
    EXPECT_EQ(all->fences_that_did_not_grow, 0U);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(counting_semaphores, do_not_let_small_requests_starve_a_large_one)
{
    std::stop_source stop;
    std::atomic<int> small = 0;
    std::vector<std::jthread> crowd;
    for (int t = 0; t < 8; ++t) {
        crowd.emplace_back([&, t] {
            counting_semaphore& mine = t % 2 == 0 ? seats_ : wanted_;
            while (!stop.stop_requested()) {
                const hold held = mine.acquire();
                ++small;
                std::this_thread::sleep_for(1ms);
            }
        });
    }
    EXPECT_TRUE(eventually([&] { return small > 100; }));
    EXPECT_TRUE(wanted_.try_acquire_for(5s, capacity)) << "after " << small << " small ones";
    stop.request_stop();
}

TEST_F(counting_semaphores, get_the_permits_of_a_killed_holder_back_when_its_lease_ends)
{
    process victim = holding.start({server_.unix_url()});
    const std::uint64_t old_fence = std::stoull(victim.line_after("fence "));
    victim.signal(SIGKILL);
    ASSERT_EQ(victim.wait(patience), killed_by(SIGKILL));
    EXPECT_TRUE(seats_.try_acquire()) << "one permit was free all the time";
    std::optional<hold> next;
    EXPECT_LT(time_of([&] { next = wanted_.try_acquire_for(10s, 4); }), 700ms + slack);
    ASSERT_TRUE(next);
    EXPECT_GT(next->fence(), old_fence);
    EXPECT_EQ(out(), 4);
}

TEST_F(counting_semaphores, tell_each_holder_of_its_loss)
{
    counting_semaphore brief{own_, "seats", capacity, quick(600ms)};
    const hold first = brief.acquire(2);
    const hold second = brief.acquire();
    probe_.must({"DEL", "seats"});
    EXPECT_EQ(events_.first(hold_state::lost, first.id()).why, cause::vanished);
    EXPECT_EQ(events_.first(hold_state::lost, second.id()).why, cause::vanished);
    EXPECT_TRUE(eventually([&] { return second.lost().stop_requested(); }));
}

TEST_F(counting_semaphores, lose_only_the_hold_whose_member_is_gone)
{
    counting_semaphore brief{own_, "seats", capacity, quick(600ms)};
    const hold lost = brief.acquire(2);
    hold kept = brief.acquire();
    probe_.must({"ZREM", "seats", lost.id() + "2"});
    EXPECT_EQ(events_.first(hold_state::lost, lost.id()).why, cause::vanished);
    EXPECT_TRUE(kept.confirm());
    EXPECT_EQ(kept.state(), hold_state::held);
}

TEST_F(counting_semaphores, that_are_cancelled_leave_nothing_behind)
{
    hold most = seats_.acquire(4);
    std::stop_source stop;
    std::vector<std::future<std::error_code>> waiting;
    for (unsigned permits : {5U, 2U, 3U}) {
        waiting.push_back(std::async(std::launch::async, [&, permits] {
            std::error_code ec;
            (void)wanted_.acquire(permits, stop.get_token(), ec);
            return ec;
        }));
    }
    ASSERT_TRUE(until_queued(3));
    stop.request_stop();
    for (auto& each : waiting) EXPECT_EQ(each.get(), errc::cancelled);
    EXPECT_TRUE(until_queued(0));
    EXPECT_FALSE(wanted_.try_acquire_for(20ms, 5)) << "nor does one that runs out of time";
    EXPECT_TRUE(until_queued(0));
    EXPECT_EQ(out(), 4);
    most.release();
    EXPECT_TRUE(eventually([&] { return nothing_is_left(); }));
}

TEST_F(counting_semaphores, grow_and_shrink_while_they_are_used)
{
    hold all = seats_.acquire(5);
    auto waiting = std::async(std::launch::async, [&] { return wanted_.acquire(2); });
    ASSERT_TRUE(until_queued(1));
    wanted_.resize(7);
    hold two = waiting.get();
    EXPECT_EQ(out(), 7);
    seats_.resize(2);
    EXPECT_TRUE(all.confirm());
    all.release();
    EXPECT_FALSE(seats_.try_acquire());
    two.release();
    EXPECT_TRUE(seats_.try_acquire(2));
    const outcome told = outcome_of([&] { (void)wanted_.try_acquire(3); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "3 permits are more than the capacity, 2"));
}

TEST_F(counting_semaphores, are_refused_with_another_capacity_and_as_another_kind)
{
    const hold held = seats_.acquire();
    counting_semaphore wrong{other_, "seats", 6};
    const outcome told = outcome_of([&] { (void)wrong.try_acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "is 5, and this caller gave 6"));
    mutex lock{other_, "seats"};
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).code, errc::not_a_lock);
    recursive_mutex recursive{other_, "seats"};
    EXPECT_EQ(outcome_of([&] { (void)recursive.try_acquire(); }).code, errc::not_a_lock);
    shared_mutex readers{other_, "seats"};
    EXPECT_EQ(outcome_of([&] { (void)readers.shared().try_acquire(); }).code, errc::not_a_lock);
    EXPECT_EQ(out(), 1);
}

TEST_F(counting_semaphores, do_not_take_over_a_sorted_set_of_another_program)
{
    probe_.must({"ZADD", "seats", "1", "somebody"});
    EXPECT_EQ(outcome_of([&] { (void)seats_.try_acquire(); }).code, errc::not_a_lock);
    EXPECT_EQ(outcome_of([&] { seats_.resize(3); }).code, errc::not_a_lock);
    EXPECT_EQ(probe_.must({"ZCARD", "seats"}).integer, 1);
}

TEST_F(counting_semaphores, wait_by_polling_if_the_options_say_so)
{
    lock_options polling = quick(10s);
    polling.wait = poll{20ms};
    counting_semaphore patient{other_, "seats", capacity, polling};
    hold all = seats_.acquire(5);
    auto waiting =
        std::async(std::launch::async, [&] { return patient.try_acquire_for(patience, 3); });
    EXPECT_TRUE(always(100ms, [&] { return !probe_.exists("pawl:queue:{seats}"); }));
    all.release();
    EXPECT_TRUE(waiting.get());
}

// ── Lost replies ────────────────────────────────────────────────────────────────────────────────

class lost_replies_of_permits : public counting_semaphores {
protected:
    // Scripts are loaded and connections are made, so that the next request is the one under test.
    lost_replies_of_permits()
    {
        counting_semaphore warm{proxied_, "warm-up", 1, quick(10s)};
        warm.acquire().release();
        warm.resize(2);
    }

    void swallow_next()
    {
        proxy_.swallow_reply_to(touches("seats"), 1, fault_proxy::afterwards::close);
    }

    fault_proxy proxy_{server_.port()};
    client proxied_{options(proxy_.url())};
    counting_semaphore mine_{proxied_, "seats", capacity, quick(10s)};
};

TEST_F(lost_replies_of_permits, to_acquire_take_no_permits_twice)
{
    swallow_next();
    hold held = mine_.acquire(2);
    EXPECT_EQ(proxy_.counts().swallowed, 1U);
    EXPECT_EQ(out(), 2);
    held.release();
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(lost_replies_of_permits, to_a_try_still_give_the_permits)
{
    swallow_next();
    EXPECT_TRUE(mine_.try_acquire(capacity));
    EXPECT_EQ(proxy_.counts().swallowed, 1U);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(lost_replies_of_permits, to_release_give_nothing_back_twice)
{
    const hold others = wanted_.acquire(2);
    hold held = mine_.acquire(3);
    swallow_next();
    EXPECT_EQ(outcome_of([&] { held.release(); }).code, std::error_code{});
    EXPECT_EQ(proxy_.counts().swallowed, 1U);
    EXPECT_EQ(out(), 2);
}

TEST_F(lost_replies_of_permits, to_resize_are_no_error)
{
    swallow_next();
    mine_.resize(3);
    EXPECT_EQ(proxy_.counts().swallowed, 1U);
    const hold held = wanted_.acquire(3);
    EXPECT_FALSE(mine_.try_acquire());
}

// The first request asks for the number of the last resize. The second one names it: 0.
TEST_F(lost_replies_of_permits, to_resize_do_not_set_it_twice)
{
    const auto sets = [](const auto& words) { return words.size() == 9 && words.back() == "0"; };
    proxy_.swallow_reply_to(sets, 1, fault_proxy::afterwards::close);
    mine_.resize(3);
    EXPECT_EQ(proxy_.counts().swallowed, 1U);
    const auto number = probe_.must({"ZSCORE", "seats", "resize_number"}).text;
    mine_.resize(4);
    EXPECT_NE(probe_.must({"ZSCORE", "seats", "resize_number"}).text, number);
    const hold held = wanted_.acquire(4);
    EXPECT_FALSE(mine_.try_acquire());
}

TEST_F(lost_replies_of_permits, to_renew_lose_no_permits)
{
    counting_semaphore brief{proxied_, "seats", capacity, quick(1500ms)};
    hold held = brief.acquire(2);
    swallow_next();
    ASSERT_TRUE(
        proxy_.wait_for([](const auto& counts) { return counts.swallowed == 1; }, patience));
    EXPECT_TRUE(always(2400ms, [&] { return !held.lost().stop_requested(); }));
    EXPECT_TRUE(held.confirm());
    EXPECT_EQ(out(), 2);
}

// The server hands permits over while the waiter's client cannot hear it.
TEST_F(lost_replies_of_permits, and_messages_do_not_keep_a_grant_from_its_waiter)
{
    counting_semaphore brief{proxied_, "seats", capacity, quick(1500ms)};
    hold all = wanted_.acquire(5);
    auto waiting =
        std::async(std::launch::async, [&] { return brief.try_acquire_for(patience, 2); });
    ASSERT_TRUE(until_queued(1));
    proxy_.drop_pushes(1);
    all.release();
    auto got = waiting.get();
    ASSERT_TRUE(got);
    EXPECT_EQ(out(), 2);
    got->release();
    EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace pawl::test
