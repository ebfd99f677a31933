// All kinds of locks as a user first writes them: each line must compile, and do its main job.
#include "unit/memory_fixture.h"

#include <deque>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class family : public with_memory {};

TEST_F(family, shared_mutex_works_with_the_locks_of_std)
{
    pawl::shared_mutex prices{client_, "prices"};
    {
        const std::shared_lock reader{prices};
        EXPECT_TRUE(reader.owns_lock());
    }
    const std::unique_lock writer{prices};
    EXPECT_TRUE(writer.owns_lock());
}

TEST_F(family, counting_semaphore_gives_one_permit_or_several)
{
    pawl::counting_semaphore seats{client_, "seats", 5};
    auto seat = seats.acquire();
    auto two = seats.acquire(2);
    EXPECT_FALSE(seats.try_acquire(3));
    seat.release();
    EXPECT_TRUE(seats.try_acquire(3));
}

TEST_F(family, latch_opens_after_the_last_count)
{
    pawl::latch ready{client_, "ready", 3};
    for (int i = 0; i < 3; ++i) ready.count_down();
    ready.wait();
    EXPECT_TRUE(ready.try_wait());
}

TEST_F(family, barrier_ends_a_phase_when_all_have_arrived)
{
    pawl::barrier phase{client_, "phase", 4};
    std::vector<std::jthread> others;
    for (int i = 0; i < 3; ++i) others.emplace_back([&] { phase.arrive_and_wait(); });
    phase.arrive_and_wait();
}

TEST_F(family, condition_variable_waits_with_a_unique_lock)
{
    pawl::mutex jobs{client_, "jobs"};
    pawl::condition_variable more{jobs, "more"};
    std::deque<int> queue;
    auto worker = std::async(std::launch::async, [&] {
        std::unique_lock lock{jobs};
        more.wait(lock, [&] { return !queue.empty(); });
        return queue.front();
    });
    {
        const std::scoped_lock lock{jobs};
        queue.push_back(42);
    }
    more.notify_one();
    EXPECT_EQ(worker.get(), 42);
}

TEST_F(family, acquire_all_takes_several_locks)
{
    auto both = pawl::acquire_all(client_, {"from:1", "to:2"});
    EXPECT_TRUE(server_.is_locked("from:1") && server_.is_locked("to:2"));
}

TEST_F(family, striped_mutex_has_a_mutex_for_each_id)
{
    pawl::striped_mutex rows{client_, "row", 64};
    const int id = 4711;
    const std::scoped_lock guard{rows.of(id)};
    EXPECT_TRUE(server_.is_locked(rows.of(id).name()));
}

TEST_F(family, once_per_begins_once_in_a_period)
{
    pawl::once_per report{client_, "report", 1h};
    if (auto turn = report.try_begin()) {
        turn->done();
    } else {
        ADD_FAILURE() << "no run began";
    }
    EXPECT_FALSE(report.try_begin());
}

TEST_F(family, leader_tells_others_its_address)
{
    pawl::leader primary{client_, "primary"};
    auto term = primary.campaign("10.0.0.7:80");
    EXPECT_EQ(primary.current().value().payload, "10.0.0.7:80");
}

}  // namespace
}  // namespace pawl::test
