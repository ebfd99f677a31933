// Plain commands to the servers of a store, with real servers: store/question.h.
#include "integration/cluster_fixture.h"
#include "sync/client_access.h"

#include <gmock/gmock.h>

namespace pawl::test {
namespace {

using testing::Contains;
using testing::SizeIs;

class servers_of_a_cluster : public in_cluster {};

TEST_F(servers_of_a_cluster, are_its_primaries_and_one_of_them_has_a_lock)
{
    client own{options()};
    auto& state = client_access::state(own);
    const auto all = state.servers("");
    ASSERT_FALSE(all.problem);
    ASSERT_THAT(all.names, SizeIs(3));
    std::vector<store::server_question> questions;
    for (const auto& each : all.names) questions.push_back({each, {{"DBSIZE"}, {"TIME"}}});
    for (const auto& each : state.ask_servers(questions)) {
        EXPECT_FALSE(each.any_problem());
        EXPECT_THAT(each.replies, SizeIs(2));
    }
    for (std::size_t node = 0; node < 3; ++node) {
        const auto name = name_at(node);
        const auto here = state.servers(name);
        ASSERT_THAT(here.names, SizeIs(1));
        EXPECT_THAT(all.names, Contains(here.names[0]));
        const auto got = state.ask_servers({{here.names[0], {{"EXISTS", name}}}});
        EXPECT_FALSE(got.at(0).any_problem());
    }
}

TEST_F(servers_of_a_cluster, that_do_not_have_the_slot_say_so)
{
    client own{options()};
    auto& state = client_access::state(own);
    const auto name = name_at(0);
    const auto elsewhere = state.servers(name_at(1)).names.at(0);
    const auto got = state.ask_servers({{elsewhere, {{"EXISTS", name}}}});
    ASSERT_TRUE(got.at(0).replies.at(0).problem);
    EXPECT_EQ(got[0].replies[0].problem->what, core::failure_kind::elsewhere);
}

}  // namespace
}  // namespace pawl::test
