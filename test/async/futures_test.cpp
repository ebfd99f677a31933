// Futures: <pawl/futures.h>, over memory.
#include "async/contended_memory.h"

#include <pawl/futures.h>

#include <future>
#include <optional>
#include <stop_token>

namespace pawl::test {
namespace {

class future_calls : public contended_memory {};

TEST_F(future_calls, return_a_hold_when_the_lock_is_free)
{
    hold held = mutex_.acquire();
    std::future<hold> wanted = futures::acquire(wanted_);
    ASSERT_TRUE(until_queued(1));
    EXPECT_EQ(wanted.wait_for(0ms), std::future_status::timeout);
    held.release();
    EXPECT_GT(wanted.get().fence(), held.fence());
}

TEST_F(future_calls, of_tries_of_a_busy_lock_return_nothing_without_throwing)
{
    const hold held = mutex_.acquire();
    EXPECT_FALSE(futures::try_acquire(wanted_).get());
    EXPECT_FALSE(futures::try_acquire_for(wanted_, 20ms).get());
}

TEST_F(future_calls, of_tries_return_a_hold)
{
    EXPECT_TRUE(futures::try_acquire(wanted_).get());
    EXPECT_TRUE(futures::try_acquire_for(wanted_, patience).get());
}

TEST_F(future_calls, throw_when_stopped)
{
    const hold held = mutex_.acquire();
    std::stop_source stop;
    auto wanted = futures::acquire(wanted_, stop.get_token());
    auto limited = futures::try_acquire_for(wanted_, 1h, stop.get_token());
    stop.request_stop();
    EXPECT_EQ(code_of([&] { (void)wanted.get(); }), errc::cancelled);
    EXPECT_FALSE(limited.get());
}

TEST_F(future_calls, throw_errors_from_get)
{
    server_.fill_memory();
    auto wanted = futures::acquire(wanted_);
    EXPECT_EQ(code_of([&] { (void)wanted.get(); }), errc::refused);
    hold nothing;
    auto extended = futures::extend(nothing, 1s);
    EXPECT_EQ(code_of([&] { extended.get(); }), errc::not_owner);
    auto released = futures::release(std::move(nothing));
    EXPECT_EQ(code_of([&] { released.get(); }), errc::not_owner);
}

TEST_F(future_calls, of_extensions_and_releases_become_ready)
{
    hold held = mutex_.acquire();
    futures::extend(held, 1min).get();
    EXPECT_GT(held.valid_for(), 50s);
    futures::release(std::move(held)).get();
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(future_calls, need_the_lock_only_until_they_have_started)
{
    hold held = mutex_.acquire();
    std::future<hold> wanted = futures::acquire(mutex{other_, "job"});
    ASSERT_TRUE(until_queued(1));
    held.release();
    EXPECT_TRUE(wanted.get());
}

TEST_F(future_calls, that_are_dropped_leave_no_lock_behind)
{
    (void)futures::acquire(wanted_);
    EXPECT_TRUE(mutex_.try_acquire_for(patience));
}

}  // namespace
}  // namespace pawl::test
