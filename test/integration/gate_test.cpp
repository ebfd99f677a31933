// Latches and barriers on a real server: several processes, lost answers, lost messages.
#include "integration/access_fixture.h"
#include "integration/child.h"
#include "integration/contended.h"
#include "support/acl_rule.h"
#include "support/fault_proxy.h"
#include "support/process.h"
#include "support/temp_dir.h"

#include <pawl/local_server.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

using afterwards = fault_proxy::afterwards;

class gate : public contended {
protected:
    // A thread that waits. When this returns, it is in the server's queue, as the last of `all`.
    [[nodiscard]] std::future<bool> waiting(const waitable& what, std::int64_t all = 1)
    {
        auto made = std::async(std::launch::async, [&what] { return what.wait_for(2 * patience); });
        EXPECT_TRUE(until_queued(all, "gate"));
        return made;
    }

    // Through the proxy, with connections made and scripts loaded.
    [[nodiscard]] std::unique_ptr<client> proxied_client()
    {
        auto through = options(proxy_.url());
        through.command_limit = 3s;
        auto made = std::make_unique<client>(through);
        latch warm{*made, "warm-up", 1};
        warm.arrive_and_wait();
        return made;
    }

    [[nodiscard]] std::int64_t fields(std::string_view name = "gate")
    {
        return probe_.must({"HLEN", name}).integer;
    }

    fault_proxy proxy_{server_.port()};
};

// ── Latches ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(gate, a_latch_opens_for_the_waiters_of_all_clients)
{
    latch first{first_, "gate", 2};
    latch second{second_, "gate", 2};
    const latch third{third_, "gate", 2};
    auto one = waiting(second, 1);
    auto other = waiting(third, 2);
    auto same_client = waiting(third, 3);
    first.count_down();
    EXPECT_EQ(queued("gate"), 3);
    second.count_down();
    for (auto* each : {&one, &other, &same_client}) {
        // Sooner than they would look.
        ASSERT_EQ(each->wait_for(soon), std::future_status::ready);
        EXPECT_TRUE(each->get());
    }
    EXPECT_EQ(probe_.keys("*"), (std::vector<std::string>{"gate"}));
    EXPECT_GT(probe_.ttl("gate"), 23h);
    EXPECT_TRUE(third.try_wait()) << "a late waiter";
}

TEST_F(gate, a_lost_answer_to_a_count_counts_once)
{
    const auto own = proxied_client();
    latch mine{*own, "gate", 2};
    for (const auto then : {afterwards::close, afterwards::silence}) {
        probe_.must({"FLUSHALL"});
        proxy_.swallow_reply_to(touches("gate"), 1, then);
        mine.count_down();
        EXPECT_FALSE(mine.try_wait());
        EXPECT_EQ(fields(), 2) << "the gate and one participant";
        mine.count_down();
        EXPECT_TRUE(mine.try_wait());
    }
    EXPECT_EQ(proxy_.counts().swallowed, 2U);
}

TEST_F(gate, a_lost_answer_to_the_last_count_is_no_error)
{
    const auto own = proxied_client();
    latch mine{*own, "gate", 1};
    proxy_.swallow_reply_to(touches("gate"), 1, afterwards::close);
    mine.count_down();
    EXPECT_TRUE(mine.try_wait());
}

TEST_F(gate, a_lost_answer_to_a_wait_takes_one_place)
{
    const auto own = proxied_client();
    const latch mine{*own, "gate", 1};
    auto before = waiting(mine);
    proxy_.swallow_reply_to(touches("gate"), 1, afterwards::close);
    auto waits = waiting(mine, 2);
    latch{first_, "gate", 1}.count_down();
    EXPECT_TRUE(before.get());
    EXPECT_TRUE(waits.get());
    EXPECT_EQ(queued("gate"), 0);
}

TEST_F(gate, a_lost_message_is_found_at_the_next_look)
{
    const auto own = proxied_client();
    const latch mine{*own, "gate", 1};
    auto waits = waiting(mine);
    proxy_.drop_pushes(1);
    latch{first_, "gate", 1}.count_down();
    EXPECT_EQ(waits.wait_for(1s), std::future_status::timeout);
    ASSERT_EQ(waits.wait_for(look_interval(long_lease) + slack), std::future_status::ready);
    EXPECT_TRUE(waits.get());
    EXPECT_EQ(proxy_.counts().pushes_dropped, 1U);
}

TEST_F(gate, a_wait_that_ends_early_leaves_nothing_in_the_queue)
{
    const latch mine{first_, "gate", 1};
    EXPECT_FALSE(mine.wait_for(50ms));
    std::stop_source stop;
    std::error_code ec;
    {
        const std::jthread waits{[&] { mine.wait(stop.get_token(), ec); }};
        ASSERT_TRUE(until_queued(1, "gate"));
        stop.request_stop();
    }
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_TRUE(until_queued(0, "gate"));
}

TEST_F(gate, keys_of_other_types_are_left_alone)
{
    probe_.must({"SET", "text", "x"});
    probe_.must({"RPUSH", "list", "x"});
    probe_.must({"HSET", "hash", "name", "x"});
    for (const auto* const name : {"text", "list", "hash"}) {
        latch mine{first_, name, 1};
        const auto counted = outcome_of([&] { mine.count_down(); });
        EXPECT_EQ(counted.code, errc::not_a_lock) << name;
        EXPECT_TRUE(says(counted.message, "choose another name"));
        EXPECT_EQ(outcome_of([&] { mine.wait(); }).code, errc::not_a_lock) << name;
    }
    EXPECT_EQ(probe_.get("text"), "x");
    EXPECT_EQ(probe_.keys("*").size(), 3U);
}

TEST_F(gate, another_number_is_an_error_that_names_both)
{
    latch{first_, "gate", 2}.count_down();
    const auto got = outcome_of([&] { latch{second_, "gate", 5}.count_down(); });
    EXPECT_EQ(got.code, errc::refused);
    EXPECT_TRUE(says(got.message, "the server expects 2 arrivals, and not 5"));
    const auto kind = outcome_of([&] { barrier{second_, "gate", 2}.arrive_and_wait(); });
    EXPECT_EQ(kind.code, errc::not_a_lock);
    EXPECT_TRUE(says(kind.message, "it is a latch"));
}

TEST_F(gate, works_after_the_server_has_forgotten_its_scripts)
{
    latch mine{first_, "gate", 2};
    mine.count_down();
    probe_.must({"SCRIPT", "FLUSH"});
    mine.count_down();
    probe_.must({"SCRIPT", "FLUSH"});
    mine.wait();
}

TEST_F(gate, a_client_that_is_destroyed_frees_a_waiting_call)
{
    auto own = std::make_unique<client>(options());
    const latch mine{*own, "gate", 1};
    std::error_code ec;
    std::jthread waits{[&] { mine.wait(ec); }};
    ASSERT_TRUE(until_queued(1, "gate"));
    own.reset();
    waits.join();
    EXPECT_TRUE(ec) << "it ends with an error, at its next look at the latest";
}

TEST_F(gate, a_child_process_after_fork_gets_the_wrong_process_error)
{
    latch mine{first_, "gate", 1};
    barrier phase{first_, "phase", 2};
    auto arrived = phase.arrive();
    process child = process::forked([&] {
        std::error_code ec;
        mine.count_down(ec);
        if (ec != errc::wrong_process) return 1;
        mine.wait(ec);
        if (ec != errc::wrong_process) return 2;
        (void)phase.arrive(ec);
        if (ec != errc::wrong_process) return 3;
        (void)arrived.try_wait(ec);
        if (ec != errc::wrong_process) return 4;
        const latch made_here{first_, "gate", 1};
        made_here.wait(ec);
        return ec == errc::wrong_process ? 0 : 5;
    });
    EXPECT_EQ(child.wait(patience), exited(0)) << child.err();
    mine.arrive_and_wait();
}

TEST_F(gate, the_first_count_starts_a_local_server)
{
    const temp_dir directory;
    const auto file = directory.file("pawl");
    process child = process::forked([&] {
        ::setenv("PAWL_LOCAL_DIR", file.c_str(), 1);
        {
            client own{"local:"};
            latch mine{own, "gate", 1};
            mine.count_down();
            mine.wait();
        }
        local::stop(true);
        return 0;
    });
    EXPECT_EQ(child.wait(patience), exited(0)) << child.err();
}

TEST_F(gate, the_smallest_acl_rule_is_enough)
{
    client own{as_clerk(probe_, options(), smallest_rule())};
    latch once{own, "stock:latch", 2};
    auto waits = std::async(std::launch::async, [&] { return once.wait_for(2 * patience); });
    ASSERT_TRUE(until_queued(1, "stock:latch"));
    EXPECT_FALSE(once.wait_for(20ms)) << "it joins the queue and leaves it again";
    once.count_down(2);
    EXPECT_TRUE(waits.get());
    barrier step{own, "stock:barrier", 1};
    step.arrive_and_wait();
    // As if the last tidying up were long ago.
    auto state = probe_.must({"HGET", "stock:barrier", "gate"}).text;
    state.replace(state.rfind(' '), std::string::npos, " 1000000000000000");
    probe_.must(
        {"HSET", "stock:barrier", "gate", state, "old", "1 1000000000000000 1000000000000000"});
    step.arrive_and_wait();
    EXPECT_EQ(fields("stock:barrier"), 2) << "the gate and this client";
    EXPECT_GT(probe_.ttl("stock:barrier"), 23h);
    EXPECT_TRUE(probe_.must({"ACL", "LOG"}).items.empty());
}

// ── Barriers ────────────────────────────────────────────────────────────────────────────────────

constexpr int processes = 3;
constexpr int threads = 2;
constexpr int phases = 20;

// In each phase, each thread writes a line, and then sees the lines of all.
int work_in_phases(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    barrier step{own, "gate", processes * threads};
    std::vector<std::jthread> all;
    std::atomic<int> problems = 0;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            for (int phase = 1; phase <= phases; ++phase) {
                std::ofstream{arguments.at(1), std::ios::app} << "x\n" << std::flush;
                if (!step.arrive().wait_for(2 * patience)) ++problems;
                std::ifstream lines{arguments.at(1)};
                std::string line;
                int seen = 0;
                while (std::getline(lines, line)) ++seen;
                if (seen < phase * processes * threads) ++problems;
                // Nobody writes for the next phase before all have read.
                step.arrive_and_wait();
            }
        });
    }
    all.clear();
    return problems;
}

const child_role working{"working in phases", work_in_phases};

TEST_F(gate, a_barrier_keeps_threads_of_several_processes_in_step)
{
    const temp_dir directory;
    std::vector<process> all;
    for (int p = 0; p < processes; ++p) {
        all.push_back(working.start({server_.unix_url(), directory.file("lines")}));
    }
    for (auto& each : all) EXPECT_EQ(each.wait(4 * patience), exited(0)) << each.err();
    EXPECT_EQ(queued("gate"), 0);
    EXPECT_EQ(fields(), 1 + processes * threads) << "each thread is one participant";
}

TEST_F(gate, a_lost_answer_to_an_arrival_counts_once)
{
    const auto own = proxied_client();
    barrier mine{*own, "gate", 2};
    barrier theirs{first_, "gate", 2};
    proxy_.swallow_reply_to(touches("gate"), 1, afterwards::close);
    auto arrived = mine.arrive();
    EXPECT_FALSE(arrived.try_wait());
    proxy_.swallow_reply_to(touches("gate"), 1, afterwards::close);
    theirs.arrive_and_wait();
    arrived.wait();
    EXPECT_FALSE(theirs.arrive().try_wait()) << "the next phase has one arrival";
}

TEST_F(gate, a_lost_answer_to_the_arrival_that_ends_the_phase_counts_once)
{
    const auto own = proxied_client();
    barrier mine{*own, "gate", 2};
    barrier theirs{first_, "gate", 2};
    const auto first = theirs.arrive();
    proxy_.swallow_reply_to(touches("gate"), 1, afterwards::close);
    const auto second = mine.arrive();
    EXPECT_TRUE(first.try_wait());
    EXPECT_TRUE(second.try_wait()) << "it arrived in the phase that has ended";
    EXPECT_FALSE(theirs.arrive().try_wait());
}

TEST_F(gate, a_lost_answer_to_one_that_drops_out_drops_once)
{
    const auto own = proxied_client();
    barrier mine{*own, "gate", 3};
    barrier theirs{first_, "gate", 3};
    proxy_.swallow_reply_to(touches("gate"), 1, afterwards::close);
    mine.arrive_and_drop();
    auto ended = theirs.arrive(2);
    EXPECT_TRUE(ended.try_wait());
    auto next = theirs.arrive();
    EXPECT_FALSE(next.try_wait()) << "two are expected";
    (void)theirs.arrive();
    EXPECT_TRUE(next.try_wait());
}

TEST_F(gate, a_waiter_learns_that_the_server_has_lost_its_arrival)
{
    barrier mine{first_, "gate", 2};
    const auto arrived = mine.arrive();
    probe_.must({"FLUSHALL"});
    const auto got = outcome_of([&] { arrived.wait(); });
    EXPECT_EQ(got.code, errc::refused);
    EXPECT_TRUE(says(got.message, "the server has lost the phase of this arrival"));
}

}  // namespace
}  // namespace pawl::test
