#include "base/require.h"

#include "core/lease_table.h"
#include "sync/lease_keeper.h"
#include "sync/surroundings.h"
#include "unit/at.h"

#include <gtest/gtest.h>

#include <memory>

namespace pawl::base {
namespace {

using namespace std::chrono_literals;
using test::always;
using test::at;

class internal_check : public testing::Test {
protected:
    // Starts the test program anew: a copy of a process with several threads may hang.
    internal_check() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(internal_check, that_holds_does_nothing)
{
    require(true, "nothing is wrong");
}

TEST_F(internal_check, that_fails_says_what_and_where_and_ends_the_process)
{
    EXPECT_DEATH(
        require(false, "two holders"),
        "pawl: internal error: two holders \\(.*require_test.cpp:[0-9]+\\).*please report");
}

TEST_F(internal_check, of_a_lease_that_is_added_twice)
{
    core::lease_table table{0.01, 3s, always(1)};
    const auto lease = std::make_shared<core::lease>();
    lease->length = 3s;
    table.add(lease, at(0));
    EXPECT_DEATH(table.add(lease, at(10)),
                 "a lease is added twice \\(src/core/lease_table.cpp:[0-9]+\\)");
}

TEST_F(internal_check, of_a_lease_that_is_over_as_soon_as_it_was_asked_for)
{
    core::lease_table table{0.01, 3s, always(1)};
    const auto lease = std::make_shared<core::lease>();
    EXPECT_DEATH(table.add(lease, at(0)), "the deadline of a grant is not within its lease");
}

// A keeper with one lease, and a server that is never asked: its event loop does not run.
class keeper_check : public internal_check {
protected:
    keeper_check()
    {
        lease_->what = std::make_shared<const core::object>(core::object{.name = "a"});
        lease_->length = 30s;
        lease_->fence = 17;
        keeper_.add(lease_, around_.platform->now());
    }

    [[nodiscard]] static client_options options()
    {
        client_options made;
        made.url = "redis://127.0.0.1:1";
        return made;
    }

    sync::surroundings around_ = sync::surroundings_for(options());
    sync::lease_keeper keeper_{options(), around_};
    core::lease_ptr lease_ = std::make_shared<core::lease>();
};

TEST_F(keeper_check, of_a_lock_that_is_passed_on_after_its_release)
{
    keeper_.rest(lease_, 1ms, nullptr);
    keeper_.pass_on(lease_, {.fence = 18});
    EXPECT_EQ(lease_->fence, 18U);
}

TEST_F(keeper_check, of_a_lock_that_is_passed_on_while_someone_holds_it)
{
    EXPECT_DEATH(keeper_.pass_on(lease_, {.fence = 18}),
                 "a lock is passed on while someone holds it");
}

TEST_F(keeper_check, of_a_lock_that_is_passed_on_with_the_fence_of_its_last_holder)
{
    keeper_.rest(lease_, 1ms, nullptr);
    EXPECT_DEATH(keeper_.pass_on(lease_, {.fence = 17}), "a fence that does not grow");
}

TEST_F(keeper_check, of_a_lock_that_is_released_twice)
{
    keeper_.rest(lease_, 1ms, nullptr);
    EXPECT_DEATH(keeper_.rest(lease_, 1ms, nullptr), "a lock is released that nobody holds");
}

TEST_F(keeper_check, of_a_lock_that_is_given_back_while_someone_holds_it)
{
    EXPECT_DEATH(keeper_.give_back(lease_, base::boot_time{}),
                 "a lock is given back while someone holds it");
}

}  // namespace
}  // namespace pawl::base
