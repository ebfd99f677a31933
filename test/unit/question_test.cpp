// Plain commands to the servers of a store: store/question.h.
#include "store/question.h"
#include "redis/resp.h"
#include "unit/engine_quorum.h"
#include "unit/memory_fixture.h"

#include <gmock/gmock.h>

namespace pawl::test {
namespace {

using core::failure_kind;
using store::command_reply;
using store::server_question;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

command_reply read(std::string_view bytes)
{
    redis::reply_parser parser;
    EXPECT_EQ(parser.parse(bytes), redis::parse_status::complete);
    return store::read_command_reply(parser.reply(bytes));
}

TEST(command_reply, has_the_elements_of_nested_arrays_one_after_another)
{
    EXPECT_THAT(read("*2\r\n$1\r\n0\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n").texts,
                ElementsAre("0", "a", "b"));
    EXPECT_THAT(read("%1\r\n$1\r\nf\r\n:-3\r\n").texts, ElementsAre("f", "-3"));
    EXPECT_THAT(read("#t\r\n").texts, ElementsAre("1"));
}

TEST(command_reply, keeps_the_place_of_a_null_in_an_array)
{
    EXPECT_THAT(read("*3\r\n$1\r\na\r\n_\r\n$1\r\nb\r\n").texts, ElementsAre("a", "", "b"));
    EXPECT_THAT(read("_\r\n").texts, IsEmpty());
}

TEST(command_reply, of_an_error_is_a_problem_with_its_text)
{
    const auto got = read("-NOPERM no permissions\r\n");
    ASSERT_TRUE(got.problem);
    EXPECT_EQ(got.problem->what, failure_kind::refused);
    EXPECT_THAT(got.problem->detail, ::testing::HasSubstr("NOPERM"));
    EXPECT_THAT(got.texts, IsEmpty());
}

class questions_to_one_server : public with_memory {
protected:
    sync::client_state& state() { return client_access::state(client_); }
};

TEST_F(questions_to_one_server, go_to_the_only_one)
{
    const auto all = state().servers("");
    EXPECT_THAT(all.names, ElementsAre(client_.server()));
    EXPECT_EQ(state().servers("job").names, all.names);
    const auto held = mutex_.acquire();
    const auto got =
        state().ask_servers({{all.names[0], {{"TYPE", "job"}, {"LLEN", "job"}, {"GET", "none"}}}});
    ASSERT_THAT(got, SizeIs(1));
    EXPECT_FALSE(got[0].problem);
    ASSERT_THAT(got[0].replies, SizeIs(3));
    EXPECT_THAT(got[0].replies[0].texts, ElementsAre("string"));
    ASSERT_TRUE(got[0].replies[1].problem);
    EXPECT_EQ(got[0].replies[1].problem->what, failure_kind::not_a_lock);
    EXPECT_THAT(got[0].replies[2].texts, IsEmpty());
    EXPECT_TRUE(got[0].any_problem());
    EXPECT_FALSE(got[0].problem_in_first(1));
    EXPECT_GE(got[0].received, got[0].sent);
}

TEST_F(questions_to_one_server, that_it_does_not_have_say_so)
{
    const auto got = state().ask_servers({{"elsewhere:1", {{"PING"}}}});
    ASSERT_THAT(got, SizeIs(1));
    ASSERT_TRUE(got[0].problem);
    EXPECT_EQ(got[0].problem->what, failure_kind::elsewhere);
    EXPECT_THAT(got[0].problem->detail, ::testing::HasSubstr("elsewhere:1"));
}

class questions_to_a_quorum : public engine_quorum {};

TEST_F(questions_to_a_quorum, cost_one_limit_if_a_node_is_silent)
{
    auto& state = client_access::state(make_client());
    const auto nodes = state.servers("job").names;
    ASSERT_THAT(nodes, SizeIs(3));
    nodes_[1].frozen = true;
    const auto got = state.ask_servers(
        {{nodes[0], {{"PING"}}}, {nodes[1], {{"PING"}}}, {nodes[2], {{"PING"}, {"PING"}}}});
    ASSERT_THAT(got, SizeIs(3));
    EXPECT_FALSE(got[0].any_problem());
    ASSERT_TRUE(got[1].problem);
    EXPECT_EQ(got[1].problem->what, failure_kind::no_reply);
    EXPECT_THAT(got[2].replies, SizeIs(2));
}

TEST_F(questions_to_a_quorum, may_go_to_some_nodes_only)
{
    auto& state = client_access::state(make_client());
    const auto nodes = state.servers("").names;
    const auto got = state.ask_servers({{nodes[2], {{"TIME"}}}, {"redis://z", {{"TIME"}}}});
    ASSERT_THAT(got, SizeIs(2));
    EXPECT_FALSE(got[0].any_problem());
    EXPECT_EQ(got[1].problem->what, failure_kind::elsewhere);
    EXPECT_EQ(nodes_[0].writes, 0U);
    EXPECT_EQ(nodes_[2].writes, 1U);
}

}  // namespace
}  // namespace pawl::test
