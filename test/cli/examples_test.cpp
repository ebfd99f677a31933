// The examples and the demo do what their output says, on a separate server.
#include "command.h"
#include "support/process.h"
#include "support/quorum_nodes.h"
#include "support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace pawl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Far more than any of them needs, even the demo with a sanitizer.
constexpr auto limit = 90s;

process start(const std::string& name, const std::string& url, const words& more = {})
{
    words command{PAWL_EXAMPLES_DIR "/" + name, url};
    command.insert(command.end(), more.begin(), more.end());
    return process{std::move(command)};
}

class examples : public testing::Test {
protected:
    // Its output, after it has ended with status 0.
    std::string output_of(const std::string& name, const words& more = {})
    {
        process example = start(name, server_.unix_url(), more);
        EXPECT_EQ(example.wait(limit), exited(0)) << example.out() << example.err();
        EXPECT_EQ(example.err(), "");
        return example.out();
    }

    redis_server server_;
};

TEST_F(examples, a_client_knows_each_of_three_leaders)
{
    const std::string output = output_of("11_leader");
    EXPECT_THAT(output, HasSubstr("10.0.0.2:80: I hand over to 10.0.0.3:80\n"));
    EXPECT_THAT(
        output,
        HasSubstr("=> 3 leaders, one after another, and a client that knew each of them\n"));
}

TEST_F(examples, the_log_of_a_client_is_written_by_spdlog_with_its_fields)
{
    const std::string output = output_of("12_log_to_spdlog");
    EXPECT_THAT(output, HasSubstr("[warning] hold.jeopardy: lock 'example:"));
    EXPECT_THAT(output, HasSubstr("[error] hold.lost: lock 'example:"));
    EXPECT_THAT(output, HasSubstr(" cause=no beat"));
    EXPECT_THAT(output, HasSubstr("=> the lock is lost: no beat\n"));
}

TEST_F(examples, stock_is_not_oversold_and_a_late_sale_is_refused)
{
    const std::string output = output_of("1_stock_deduction");
    EXPECT_THAT(output, HasSubstr("=> 30 of 30 units sold to 40 customers: nothing oversold\n"));
    EXPECT_THAT(output, HasSubstr("lost() says lost, and its sale is refused for its old fence\n"));
    EXPECT_THAT(output, HasSubstr("=> the unit was sold once\n"));
}

TEST_F(examples, a_scheduled_job_runs_on_one_instance)
{
    const std::string output = output_of("2_scheduled_job");
    EXPECT_THAT(output, HasSubstr(": report published\n"));
    EXPECT_THAT(output, HasSubstr("=> 5 instances woke up, the job ran once\n"));
}

TEST_F(examples, a_button_pressed_five_times_makes_one_order)
{
    const std::string output = output_of("3_double_submission");
    EXPECT_THAT(output, HasSubstr("=> 5 presses, one order\n"));
    EXPECT_THAT(output, HasSubstr("'s id, and by no other\n"));
}

TEST_F(examples, an_asio_server_loses_no_deposit_and_shuts_down)
{
    const std::string output = output_of("5_asio_server");
    EXPECT_THAT(output, HasSubstr("=> 1000 deposits by one thread: nothing was lost\n"));
    EXPECT_THAT(output, HasSubstr("=> turned away after its 100 ms: 1\n"));
    EXPECT_THAT(output, HasSubstr("=> cancelled when the server shut down: 3\n"));
}

TEST_F(examples, coroutines_take_turns_in_one_thread)
{
    EXPECT_THAT(output_of("6_coroutines"),
                HasSubstr("=> 150 pieces by three workers in one thread\n"));
}

TEST_F(examples, services_share_the_connections_of_a_database)
{
    EXPECT_THAT(output_of("7_connection_limit"),
                HasSubstr("=> 120 queries of 4 services, never more than 5 connections: none was "
                          "refused\n"));
}

TEST_F(examples, a_batch_in_two_phases_waits_for_its_slowest_worker)
{
    EXPECT_THAT(output_of("8_two_phase_batch"),
                HasSubstr("=> 4 workers, two phases: every worker saw the sums of all\n"));
}

TEST_F(examples, a_cache_is_read_together_and_refreshed_once)
{
    EXPECT_THAT(
        output_of("9_refreshed_cache"),
        HasSubstr("=> 720 answers of 3 services, 10 price lists: each was written once, and "
                  "none was mixed\n"));
}

TEST_F(examples, workers_sleep_until_there_is_work)
{
    EXPECT_THAT(output_of("10_work_queue"),
                HasSubstr("=> 12 orders, 3 packers: each order was packed once\n"));
}

TEST(example_of_testing, needs_no_server)
{
    process example{{PAWL_EXAMPLES_DIR "/4_testing_your_code"}};
    EXPECT_EQ(example.wait(limit), exited(0)) << example.out() << example.err();
    EXPECT_EQ(example.out(), "=> 6 tests passed, and no server was needed\n");
}

TEST_F(examples,
       the_demo_shows_lost_updates_then_none_then_a_takeover_then_two_dead_servers_of_five)
{
    quorum_nodes nodes{{.nodes = 5}};
    ASSERT_EQ(run_pawl({"quorum", "init", "--url", nodes.url()}).end, exited(0));
    const std::string output =
        output_of("demo", {PAWL_COMMAND, nodes.url(), std::to_string(nodes.node(1).pid()),
                           std::to_string(nodes.node(3).pid())});
    EXPECT_THAT(output, HasSubstr(" updates were lost\n"));
    EXPECT_THAT(output, HasSubstr("=> 125 additions, and the file says 125: nothing was lost\n"));
    EXPECT_THAT(output, HasSubstr("=> worker 2 took over after "));
    EXPECT_THAT(output, HasSubstr("125 grants, each with a greater number than the one before\n"));
    const std::string result = "=> 125 additions, and the file says 125: nothing was lost\n";
    const auto scene = output.find("Two of five servers are killed");
    ASSERT_NE(scene, output.npos);
    EXPECT_THAT(output.substr(scene), HasSubstr(result));
    EXPECT_THAT(output, HasSubstr("0 of 125 updates lost, with two of five servers dead\n"));
    for (const std::size_t dead : {1U, 3U}) EXPECT_FALSE(is_alive(nodes.node(dead).pid()));
    EXPECT_THAT(output, Not(HasSubstr("\033"))) << "not on a terminal, so lines must be plain";
}

class examples_without_a_server : public testing::TestWithParam<const char*> {};

TEST_P(examples_without_a_server, fail_with_the_reason)
{
    process example = start(GetParam(), "unix:/nonexistent/redis.sock");
    EXPECT_EQ(example.wait(limit), exited(1)) << example.out();
    EXPECT_THAT(example.err(), HasSubstr("/nonexistent/redis.sock"));
}

INSTANTIATE_TEST_SUITE_P(each, examples_without_a_server,
                         testing::Values("1_stock_deduction", "2_scheduled_job",
                                         "3_double_submission", "5_asio_server", "6_coroutines",
                                         "7_connection_limit", "8_two_phase_batch",
                                         "9_refreshed_cache", "10_work_queue", "11_leader",
                                         "12_log_to_spdlog", "demo"));

}  // namespace
}  // namespace pawl::test
