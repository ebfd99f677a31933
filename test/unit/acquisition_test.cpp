// sync::acquisition in a whole client, with a store that answers as the test says: what happens when an
// acquire is cancelled or fails at an unusual moment.
#include "sync/acquisition.h"

#include "support/eventually.h"
#include "unit/scripted_store_fixture.h"

#include <pawl/async.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::sync {
namespace {

using namespace std::chrono_literals;
using test::eventually;

struct outcome {
    std::atomic<bool> is_there = false;
    std::error_code code;
};

class noting final : public async::acquire_completion {
public:
    explicit noting(std::shared_ptr<outcome> where) : where_{std::move(where)} {}

    void done(hold /*got*/, std::error_code ec, std::string_view /*message*/) noexcept override
    {
        where_->code = ec;
        where_->is_there = true;
    }

private:
    std::shared_ptr<outcome> where_;
};

class an_acquisition : public with_scripted_store {};

TEST_F(an_acquisition, that_fails_before_its_first_request_lets_the_next_caller_ask)
{
    platform_->fails = true;
    EXPECT_THROW(static_cast<void>(lock_->acquire()), error);
    platform_->fails = false;
    store_->answer_with(core::granted{.fence = 5});
    const auto held = lock_->try_acquire_for(1s);
    ASSERT_TRUE(held) << "it waited for a caller that is gone";
    EXPECT_EQ(held->fence(), 5U);
}

TEST_F(an_acquisition, is_cancelled_although_an_old_grant_came_during_its_request)
{
    std::stop_source stop;
    const auto got = std::make_shared<outcome>();
    store_->answer_with(core::busy{});                // the client listens from now on
    store_->answer_with(core::busy{.queued = true});  // it has a place
    async::acquire(*lock_, time_limit::never(), std::make_unique<noting>(got), stop.get_token());
    ASSERT_TRUE(eventually([&] { return store_->acquires == 2; }));

    store_->send_old_grant();
    ASSERT_TRUE(eventually([&] { return store_->acquires == 3; })) << "it asks again";
    store_->send_old_grant();
    stop.request_stop();
    ASSERT_TRUE(eventually([&] { return got->is_there.load(); }));
    EXPECT_EQ(got->code, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return store_->releases > 0; })) << "it may hold the lock";
}

TEST_F(an_acquisition, ends_as_cancelled_when_its_client_is_destroyed_with_a_grant_unread)
{
    const auto got = std::make_shared<outcome>();
    store_->answer_with(core::busy{});
    store_->answer_with(core::busy{.queued = true});
    async::acquire(*lock_, time_limit::never(), std::make_unique<noting>(got));
    ASSERT_TRUE(eventually([&] { return store_->acquires == 2; }));
    store_->send_old_grant();
    ASSERT_TRUE(eventually([&] { return store_->acquires == 3; }));
    store_->send_old_grant();
    lock_.reset();
    client_.reset();
    EXPECT_TRUE(got->is_there);
    EXPECT_EQ(got->code, errc::cancelled);
}

}  // namespace
}  // namespace pawl::sync
