// What a quorum_store knows of one holder id, beside its claim.
#include "core/acquire.h"
#include "store/quorum/holder.h"
#include "unit/quorum_fixture.h"

#include <gtest/gtest.h>

#include <vector>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::hold_status;
using core::quorum::lost_reply;
using test::at;

class quorum_holder : public testing::Test {
protected:
    quorum_holder()
    {
        core::quorum::return_machine::plan what;
        what.parts.resize(3, {.there = true});
        what.lease = 1s;
        who_.returning.emplace(all_, who_.name(), what, at(0));
    }
    void returned(unsigned node, const core::hold_reply& got, int now)
    {
        who_.returning->on_return(node, {.mine = who_.name(), .sent = at(0)}, got, at(now));
    }

    core::object object_{.name = "a"};
    core::quorum::nodes all_{core::quorum::names_of_nodes(3), 0.01, 2s};
    holder who_{{&object_, "me"}, 3};
};

TEST_F(quorum_holder, avoids_no_node_if_nothing_was_returned)
{
    const holder another{{&object_, "me"}, 3};
    EXPECT_EQ(another.avoided(at(0)), std::vector<bool>(3));
}

TEST_F(quorum_holder, avoids_a_node_until_its_return_is_answered)
{
    EXPECT_EQ(who_.avoided(at(0)), std::vector<bool>(3, true));
    returned(0, hold_status::done, 1);
    returned(1, hold_status::vanished, 1);
    EXPECT_EQ(who_.avoided(at(1)), (std::vector<bool>{false, false, true}));
}

// It will be sent again, and the first one may also be executed later.
TEST_F(quorum_holder, avoids_a_node_whose_return_had_no_answer)
{
    returned(2, lost_reply, 1);
    EXPECT_TRUE(who_.avoided(at(1))[2]);
    EXPECT_TRUE(who_.avoided(at(1) + core::latest_execution)[2]) << "it was not sent again yet";
}

// A vote request that was on its way may have arrived after the return, so there will be another return.
TEST_F(quorum_holder, avoids_a_node_that_will_get_another_return)
{
    core::quorum::return_machine::plan what;
    what.parts.resize(3, {.there = true});
    what.parts[1].late_until = at(500);
    what.lease = 1s;
    who_.returning.emplace(all_, who_.name(), what, at(0));
    returned(0, hold_status::done, 1);
    returned(1, hold_status::done, 1);
    EXPECT_EQ(who_.avoided(at(1)), (std::vector<bool>{false, true, true}));
}

}  // namespace
}  // namespace pawl::store
