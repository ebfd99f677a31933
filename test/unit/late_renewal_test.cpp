// What is counted of a renewal whose answer says that the lock is not ours.
#include "support/eventually.h"
#include "unit/scripted_store_fixture.h"

namespace pawl::sync {
namespace {

using namespace std::chrono_literals;
using test::eventually;

class a_denied_renewal : public with_scripted_store {
protected:
    [[nodiscard]] hold acquire()
    {
        store_->answer_with(core::granted{.fence = 5});
        return brief_.acquire();
    }
    // The first renewal is after a third of the lease.
    void deny()
    {
        ASSERT_TRUE(
            eventually([&] { return store_->answer_renewal(core::hold_status::vanished); }));
    }
    [[nodiscard]] renewal_metrics counted() const { return client_->metrics().all.renewals; }

    mutex brief_{*client_, "brief", {.lease = 1s}};
};

TEST_F(a_denied_renewal, is_counted_when_the_hold_is_lost)
{
    const auto held = acquire();
    deny();
    EXPECT_TRUE(eventually([&] { return held.state() == hold_state::lost; }));
    EXPECT_EQ(counted().denied, 1U);
}

TEST_F(a_denied_renewal, is_not_counted_if_a_release_has_overtaken_it)
{
    auto held = acquire();
    ASSERT_TRUE(eventually([&] { return counted().sent == 1; }));
    held.release();
    deny();
    // The answer to this one comes after that to the first.
    const auto next = acquire();
    deny();
    EXPECT_TRUE(eventually([&] { return next.state() == hold_state::lost; }));
    EXPECT_EQ(counted().sent, 2U);
    EXPECT_EQ(counted().denied, 1U);
}

}  // namespace
}  // namespace pawl::sync
