// Futures: <pawl/future.h>, over memory.
#include "async/contended_memory.h"

#include <pawl/future.h>

#include <future>
#include <optional>
#include <stop_token>

namespace pawl::test {
namespace {

class futures : public contended_memory {};

TEST_F(futures, return_a_hold_when_the_lock_is_free)
{
    hold held = mutex_.acquire();
    std::future<hold> wanted = acquire_future(wanted_);
    ASSERT_TRUE(until_queued(1));
    EXPECT_EQ(wanted.wait_for(0ms), std::future_status::timeout);
    held.release();
    EXPECT_GT(wanted.get().fence(), held.fence());
}

TEST_F(futures, of_tries_of_a_busy_lock_return_nothing_without_throwing)
{
    const hold held = mutex_.acquire();
    EXPECT_FALSE(try_acquire_future(wanted_).get());
    EXPECT_FALSE(acquire_future_for(wanted_, 20ms).get());
}

TEST_F(futures, of_tries_return_a_hold)
{
    EXPECT_TRUE(try_acquire_future(wanted_).get());
    EXPECT_TRUE(acquire_future_for(wanted_, patience).get());
}

TEST_F(futures, throw_when_stopped)
{
    const hold held = mutex_.acquire();
    std::stop_source stop;
    auto wanted = acquire_future(wanted_, stop.get_token());
    auto limited = acquire_future_for(wanted_, 1h, stop.get_token());
    stop.request_stop();
    EXPECT_EQ(code_of([&] { (void)wanted.get(); }), errc::cancelled);
    EXPECT_FALSE(limited.get());
}

TEST_F(futures, throw_errors_from_get)
{
    server_.fill_memory();
    auto wanted = acquire_future(wanted_);
    EXPECT_EQ(code_of([&] { (void)wanted.get(); }), errc::refused);
    hold nothing;
    auto extended = extend_future(nothing, 1s);
    EXPECT_EQ(code_of([&] { extended.get(); }), errc::not_owner);
    auto released = release_future(std::move(nothing));
    EXPECT_EQ(code_of([&] { released.get(); }), errc::not_owner);
}

TEST_F(futures, of_extensions_and_releases_become_ready)
{
    hold held = mutex_.acquire();
    extend_future(held, 1min).get();
    EXPECT_GT(held.valid_for(), 50s);
    release_future(std::move(held)).get();
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(futures, that_are_dropped_leave_no_lock_behind)
{
    (void)acquire_future(wanted_);
    EXPECT_TRUE(mutex_.try_acquire_for(patience));
}

}  // namespace
}  // namespace pawl::test
