// Waiting: how long, how often it polls, and how it is cancelled.
#include "integration/fixture.h"

#include <optional>
#include <stop_token>
#include <thread>

namespace pawl::test {
namespace {

using steady = std::chrono::steady_clock;

lock_options asking_every(std::chrono::milliseconds interval)
{
    lock_options made = quick(30s);
    made.wait = poll{interval};
    return made;
}

class waiting : public with_server {
protected:
    ~waiting() override { server_.thaw(); }

    // Waits until this many more requests than `before` have reached the server.
    void until_asked(std::int64_t before)
    {
        ASSERT_TRUE(eventually([&] { return probe_.calls("evalsha") > before; }));
    }

    client holder_{options()};
    mutex held_elsewhere_{holder_, "job", quick(30s)};
    client client_{options()};
};

TEST_F(waiting, is_not_done_by_a_try)
{
    const hold other = held_elsewhere_.acquire();
    mutex lock{client_, "job", asking_every(1min)};
    EXPECT_LT(time_of([&] { EXPECT_FALSE(lock.try_acquire()); }), slack);
    EXPECT_LT(time_of([&] { EXPECT_FALSE(lock.try_acquire_for(0ms)); }), slack);
    EXPECT_LT(time_of([&] { EXPECT_FALSE(lock.try_acquire_for(-1h)); }), slack);
    EXPECT_LT(time_of([&] { EXPECT_FALSE(lock.try_acquire_until(steady::now() - 1s)); }), slack);
    EXPECT_LT(time_of([&] { EXPECT_FALSE(lock.try_lock()); }), slack);
}

TEST_F(waiting, ends_at_its_limit)
{
    const hold other = held_elsewhere_.acquire();
    for (const auto interval : {20ms, 60'000ms}) {
        mutex lock{client_, "job", asking_every(interval)};
        const auto took = time_of([&] { EXPECT_FALSE(lock.try_acquire_for(200ms)); });
        EXPECT_GE(took, 200ms);
        EXPECT_LT(took, 200ms + slack);
    }
    mutex lock{client_, "job", asking_every(20ms)};
    const auto took = time_of(
        [&] { EXPECT_FALSE(lock.try_acquire_until(std::chrono::system_clock::now() + 200ms)); });
    EXPECT_GE(took, 195ms);
    EXPECT_LT(took, 200ms + slack);
}

TEST_F(waiting, for_a_huge_limit_is_waiting_forever)
{
    std::optional<hold> other = held_elsewhere_.acquire();
    std::jthread releasing{[&] {
        const auto before = probe_.calls("evalsha");
        until_asked(before + 2);
        other.reset();
    }};
    mutex lock{client_, "job", asking_every(10ms)};
    EXPECT_TRUE(lock.try_acquire_for(std::chrono::hours::max()));
}

TEST_F(waiting, gets_the_lock_soon_after_it_is_free)
{
    std::optional<hold> other = held_elsewhere_.acquire();
    mutex lock{client_, "job", asking_every(20ms)};
    steady::time_point freed;
    steady::time_point got;
    const auto before = probe_.calls("evalsha");
    std::jthread waiter{[&] {
        const hold mine = lock.acquire();
        got = steady::now();
    }};
    until_asked(before + 2);
    freed = steady::now();
    other->release();
    waiter.join();
    EXPECT_LT(got - freed, 20ms + slack);
}

TEST_F(waiting, polls_no_more_often_than_its_interval)
{
    const hold other = held_elsewhere_.acquire();
    mutex lock{client_, "job", asking_every(100ms)};
    probe_.reset_stats();
    EXPECT_FALSE(lock.try_acquire_for(1s));
    EXPECT_GE(probe_.calls("evalsha"), 2);
    EXPECT_LE(probe_.calls("evalsha"), 23);
}

TEST_F(waiting, gets_the_lock_of_a_dead_holder_as_soon_as_its_lease_ends)
{
    ASSERT_TRUE(stateless::try_lock(holder_, "job", "the dead", 300ms));
    mutex lock{client_, "job", asking_every(1min)};
    std::optional<hold> mine;
    EXPECT_LT(time_of([&] { mine = lock.try_acquire_for(30s); }), 300ms + slack);
    EXPECT_TRUE(mine);
}

TEST_F(waiting, is_cancelled_at_once)
{
    const hold other = held_elsewhere_.acquire();
    mutex lock{client_, "job", asking_every(1min)};
    std::stop_source source;
    const auto before = probe_.calls("evalsha");
    steady::time_point asked;
    std::jthread cancelling{[&] {
        until_asked(before);
        asked = steady::now();
        source.request_stop();
    }};
    const outcome told = outcome_of([&] { (void)lock.acquire(source.get_token()); });
    const auto returned = steady::now();
    cancelling.join();
    EXPECT_EQ(told.code, errc::cancelled);
    EXPECT_LT(returned - asked, slack);
    EXPECT_EQ(probe_.get("job"), other.id());
}

TEST_F(waiting, that_is_cancelled_is_reported_by_every_form_of_acquire)
{
    const hold other = held_elsewhere_.acquire();
    mutex lock{client_, "job", asking_every(10ms)};
    std::stop_source source;
    source.request_stop();
    const std::stop_token stop = source.get_token();
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(stop); }).code, errc::cancelled);
    EXPECT_EQ(lock.try_acquire(stop), std::nullopt);
    EXPECT_EQ(lock.try_acquire_for(1min, stop), std::nullopt);
    EXPECT_EQ(lock.try_acquire_until(steady::now() + 1min, stop), std::nullopt);
    std::error_code told;
    EXPECT_FALSE(static_cast<bool>(lock.acquire(stop, told)));
    EXPECT_EQ(told, errc::cancelled);
    (void)lock.try_acquire(stop, told);
    EXPECT_EQ(told, errc::cancelled);
    (void)lock.try_acquire_for(1min, stop, told);
    EXPECT_EQ(told, errc::cancelled);
    (void)lock.try_acquire_until(steady::now() + 1min, stop, told);
    EXPECT_EQ(told, errc::cancelled);
}

TEST_F(waiting, cancelled_before_it_began_takes_nothing)
{
    mutex lock{client_, "job", asking_every(10ms)};
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(lock.try_acquire(source.get_token()), std::nullopt);
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(waiting, with_a_token_that_stops_later_keeps_the_lock)
{
    mutex lock{client_, "job", asking_every(10ms)};
    std::stop_source source;
    hold mine = lock.acquire(source.get_token());
    source.request_stop();
    EXPECT_TRUE(mine.confirm());
    EXPECT_FALSE(mine.lost().stop_requested());
    mine.release();
}

TEST_F(waiting, for_a_frozen_server_is_cancelled_at_once_and_leaves_nothing)
{
    mutex lock{client_, "job", asking_every(10ms)};
    {
        const hold warm = lock.acquire();
    }
    server_.freeze();
    std::stop_source source;
    steady::time_point asked;
    std::jthread cancelling{[&] {
        std::this_thread::sleep_for(100ms);  // the request is under way, which cannot be observed
        asked = steady::now();
        source.request_stop();
    }};
    std::error_code told;
    (void)lock.acquire(source.get_token(), told);
    const auto returned = steady::now();
    cancelling.join();
    EXPECT_EQ(told, errc::cancelled);
    EXPECT_LT(returned - asked, slack);

    server_.thaw();
    // The request that was under way is executed now, and the lock is given back.
    EXPECT_TRUE(eventually(10s, [&] { return !probe_.exists("job"); }));
    EXPECT_TRUE(always(300ms, [&] { return !probe_.exists("job"); }));
    EXPECT_TRUE(client_.holds().empty());
}

TEST_F(waiting, for_a_connection_to_a_frozen_server_is_cancelled_at_once)
{
    client fresh{options(server_.url())};
    mutex lock{fresh, "job", asking_every(10ms)};
    server_.freeze();
    std::stop_source source;
    std::jthread cancelling{[&] {
        std::this_thread::sleep_for(100ms);  // as above
        source.request_stop();
    }};
    std::error_code told;
    EXPECT_LT(time_of([&] { (void)lock.acquire(source.get_token(), told); }), 100ms + slack);
    EXPECT_EQ(told, errc::cancelled);
    server_.thaw();
    EXPECT_TRUE(always(300ms, [&] { return !probe_.exists("job"); }));
}

TEST_F(waiting, survives_a_server_that_is_gone_for_less_than_the_command_limit)
{
    std::optional<hold> other = held_elsewhere_.acquire();
    mutex lock{client_, "job", asking_every(10ms)};
    const auto before = probe_.calls("evalsha");
    std::optional<hold> mine;
    std::error_code told;
    std::jthread waiter{[&] { mine = lock.try_acquire_for(20s, told); }};
    until_asked(before + 2);
    server_.restart();
    waiter.join();
    EXPECT_FALSE(told) << told.message();
    EXPECT_TRUE(mine);
}

}  // namespace
}  // namespace pawl::test
