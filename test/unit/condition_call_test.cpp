// sync::condition_wait in a whole client, with a store that answers as the test says.
#include "sync/condition_wait.h"

#include "support/eventually.h"
#include "unit/scripted_store_fixture.h"

#include <pawl/condition_variable.h>

#include <chrono>
#include <future>
#include <stop_token>
#include <system_error>

namespace pawl::sync {
namespace {

using namespace std::chrono_literals;
using test::eventually;

class a_call_that_waits_for_a_condition : public with_scripted_store {
protected:
    condition_variable more_{*lock_, "more"};
};

TEST_F(a_call_that_waits_for_a_condition, keeps_the_lock_if_it_cannot_begin)
{
    store_->answer_with(core::granted{.fence = 5});
    auto held = lock_->acquire();
    platform_->fails = true;
    EXPECT_THROW(more_.wait(held), std::system_error);
    platform_->fails = false;
    ASSERT_TRUE(held) << "otherwise nobody would release it";
    held.release();
    EXPECT_EQ(store_->releases, 1);
}

TEST_F(a_call_that_waits_for_a_condition, gives_the_old_holder_back_while_its_acquire_may_be_late)
{
    store_->answer_with(core::failure{
        .what = core::failure_kind::no_reply, .maybe_executed = true, .maybe_late = true});
    store_->answer_with(core::granted{.fence = 5});
    auto held = lock_->acquire();
    std::stop_source stop;
    auto waiter = std::async(std::launch::async, [&] {
        return more_.wait(held, stop.get_token(), [] { return false; });
    });
    EXPECT_TRUE(eventually([&] { return store_->releases > 0; }))
        << "a late acquire would keep the lock from all others until the wait is over";
    store_->answer_with(core::granted{.fence = 6});
    stop.request_stop();
    EXPECT_FALSE(waiter.get());
    EXPECT_EQ(held.fence(), 6);
}

}  // namespace
}  // namespace pawl::sync
