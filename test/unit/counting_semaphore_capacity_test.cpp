// The capacity of a pawl::counting_semaphore on a memory server: its limits, and resize().
#include "unit/counting_semaphore_fixture.h"

#include <pawl/recursive_mutex.h>

#include <system_error>

namespace pawl::test {
namespace {

TEST_F(counting_semaphores, another_capacity_is_refused_with_both_numbers)
{
    const hold held = seats_.acquire();
    counting_semaphore wrong{other_, "seats", 6};
    std::error_code ec;
    EXPECT_FALSE(wrong.try_acquire(ec));
    EXPECT_EQ(ec, errc::refused);
    EXPECT_EQ(message_of([&] { (void)wrong.acquire(); }),
              "acquire 'seats' on " + server_.url() +
                  ": refused by the server (the capacity at the server is 5, and this caller gave "
                  "6: all callers must give the same)");
    EXPECT_TRUE(wanted_.try_acquire(4));
}

TEST_F(counting_semaphores, more_permits_than_the_capacity_are_a_bad_argument)
{
    EXPECT_EQ(message_of([&] { (void)seats_.acquire(6); }), "permits: 6 (allowed: 1 to 5)");
    EXPECT_EQ(message_of([&] { (void)seats_.permits(0); }), "permits: 0 (allowed: 1 to 5)");
    std::error_code ec;
    EXPECT_FALSE(seats_.try_acquire_for(1h, 6, ec));
    EXPECT_EQ(ec, errc::bad_argument);
    EXPECT_FALSE(seats_.acquire(0, ec));
    EXPECT_EQ(ec, errc::bad_argument);
}

TEST_F(counting_semaphores, bad_values_are_refused_with_their_range)
{
    const auto made = [&](unsigned capacity, const lock_options& how) {
        return message_of([&] { counting_semaphore{client_, "seats", capacity, how}; });
    };
    EXPECT_EQ(made(0, {}), "capacity: 0 (allowed: 1 to 1000000)");
    EXPECT_EQ(made(1'000'001, {}), "capacity: 1000001 (allowed: 1 to 1000000)");
    EXPECT_EQ(made(1'000'000, {}), "no error");
    EXPECT_EQ(made(5, {.linger = 1s}), "linger: 1000 ms of a counting_semaphore (allowed: 0)");
    EXPECT_EQ(made(5, {.layout = layout::hash}),
              "layout: a value of a counting_semaphore (allowed: unset: there is one layout)");
    EXPECT_EQ(made(5, {.lease = 1ms}), "lease: 1 ms (allowed: 10 ms to 24 h)");
    EXPECT_EQ(code_of([&] { counting_semaphore{client_, "", 5}; }), errc::bad_argument);
}

TEST_F(counting_semaphores, the_capacity_is_the_one_that_was_given)
{
    EXPECT_EQ(seats_.capacity(), 5U);
    seats_.resize(7);
    EXPECT_EQ(seats_.capacity(), 5U);
}

TEST_F(counting_semaphores, a_greater_capacity_lets_in_waiters)
{
    const hold all = seats_.acquire(5);
    auto waiting = wait_for(wanted_, 2);
    seats_.resize(7);
    const hold two = waiting.get();
    EXPECT_TRUE(two);
    EXPECT_FALSE(wanted_.try_acquire());
}

TEST_F(counting_semaphores, after_resize_more_permits_can_be_acquired_than_were_given)
{
    seats_.resize(7);
    const hold seven = seats_.acquire(7);
    EXPECT_TRUE(seven);
    counting_semaphore knows{other_, "seats", 7};
    EXPECT_FALSE(knows.try_acquire(7)) << "programs with the old and the new number work together";
}

TEST_F(counting_semaphores, after_a_smaller_capacity_nobody_enters_until_enough_are_back)
{
    hold three = seats_.acquire(3);
    hold one = seats_.acquire();
    wanted_.resize(2);
    EXPECT_TRUE(three.confirm());
    EXPECT_FALSE(wanted_.try_acquire());
    one.release();
    EXPECT_FALSE(wanted_.try_acquire());
    three.release();
    EXPECT_TRUE(wanted_.try_acquire(2));
}

TEST_F(counting_semaphores, a_waiter_for_more_than_a_smaller_capacity_fails_and_blocks_nobody)
{
    hold most = seats_.acquire(4);
    auto large = wait_for(wanted_, 3);
    auto small = wait_for(seats_, 1, 2);
    seats_.resize(2);
    server_.advance(10s + 1ms);  // it looks every third of its lease
    EXPECT_EQ(code_of([&] { (void)large.get(); }), errc::refused);
    most.release();
    EXPECT_TRUE(small.get());
    EXPECT_TRUE(eventually([&] { return nothing_is_left(); }));
}

TEST_F(counting_semaphores, a_resize_that_is_not_allowed_changes_nothing)
{
    std::error_code ec;
    seats_.resize(0, ec);
    EXPECT_EQ(ec, errc::bad_argument);
    EXPECT_EQ(message_of([&] { seats_.resize(1'000'001); }),
              "capacity: 1000001 (allowed: 1 to 1000000)");
    EXPECT_TRUE(seats_.acquire(5));
    counting_semaphore job{client_, "job", 5};
    const hold held = mutex_.acquire();
    job.resize(3, ec);
    EXPECT_EQ(ec, errc::not_a_lock);
    EXPECT_EQ(code_of([&] { job.resize(3); }), errc::not_a_lock);
}

TEST_F(counting_semaphores, a_name_cannot_be_shared_with_another_kind)
{
    counting_semaphore job{client_, "job", 5};
    hold held = mutex_.acquire();
    EXPECT_EQ(code_of([&] { (void)job.try_acquire(); }), errc::not_a_lock);
    held.release();
    const hold permit = job.acquire();
    EXPECT_EQ(code_of([&] { (void)mutex_.try_acquire(); }), errc::not_a_lock);
    recursive_mutex again{client_, "job"};
    EXPECT_EQ(code_of([&] { (void)again.try_acquire(); }), errc::not_a_lock);
}

}  // namespace
}  // namespace pawl::test
