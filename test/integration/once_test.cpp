// pawl::once_per on a real server: several processes, kill -9, lost answers.
#include "integration/child.h"
#include "integration/fixture.h"
#include "support/fault_proxy.h"
#include "support/process.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

constexpr auto period = 100ms;
constexpr auto lease = 300ms;
constexpr int workers = 6;

struct job_options {
    bool aligned = false;
    bool retries = false;
};

once_per job_of(client& own, const job_options& how)
{
    return once_per(own, "job", period, {.aligned = how.aligned, .retry_failed = how.retries},
                    quick(lease));
}

// Tries again and again until the test closes the pipe. Every third run fails. Prints "begun FENCE" for each run,
// and "done FENCE" if it succeeded.
int work(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    auto job = job_of(own, {.aligned = arguments.at(1) == "1", .retries = arguments.at(2) == "1"});
    std::atomic<bool> over = false;
    std::jthread watch{[&over] {
        while (hear()) {
        }
        over = true;
    }};
    for (unsigned runs = 0; !over;) {
        auto turn = job.try_begin();
        if (!turn) {
            std::this_thread::sleep_for(1ms);
            continue;
        }
        const auto fence = std::to_string(turn->fence());
        say("begun " + fence);
        if (++runs % 3 == 0) continue;
        std::error_code ec;
        turn->done(ec);
        if (!ec) say("done " + fence);
    }
    return 0;
}

const child_role worker{"once_worker", work};

class once_per_period : public with_server {
protected:
    [[nodiscard]] process start_worker(const job_options& how) const
    {
        return worker.start({server_.unix_url(), how.aligned ? "1" : "0", how.retries ? "1" : "0"});
    }

    // The fence of a run is the server's time at its begin, in µs, because runs are far apart.
    static void collect(const process& from, std::string_view what, std::vector<std::int64_t>& into)
    {
        std::istringstream lines{from.out()};
        std::string word;
        std::int64_t fence = 0;
        while (lines >> word >> fence) {
            if (word == what) into.push_back(fence / 1000);
        }
    }

    static void check_periods(std::vector<std::int64_t> begun, bool aligned)
    {
        std::ranges::sort(begun);
        for (std::size_t i = 1; i < begun.size(); ++i) {
            if (aligned) {
                EXPECT_LT(begun[i - 1] / period.count(), begun[i] / period.count());
            } else {
                EXPECT_GE(begun[i] - begun[i - 1], period.count());
            }
        }
    }

    // Nothing is left but what expires.
    void check_keys()
    {
        for (const auto& key : probe_.keys("*")) EXPECT_GE(probe_.ttl(key), 0ms) << key;
    }

    // Through the proxy, with connections made and scripts loaded.
    [[nodiscard]] std::unique_ptr<client> proxied_client()
    {
        auto through = options(proxy_.url());
        through.command_limit = 3s;
        auto made = std::make_unique<client>(through);
        once_per warm{*made, "warm-up", 1h};
        warm.try_begin()->done();
        return made;
    }

    fault_proxy proxy_{server_.port()};
};

TEST_F(once_per_period, at_most_one_run_of_all_processes_begins)
{
    for (const bool aligned : {false, true}) {
        probe_.must({"FLUSHALL"});
        std::vector<process> all;
        for (int i = 0; i < workers; ++i) all.push_back(start_worker({.aligned = aligned}));
        const auto count = [&] {
            std::vector<std::int64_t> begun;
            for (const auto& each : all) collect(each, "begun", begun);
            return begun;
        };
        EXPECT_TRUE(eventually([&] { return count().size() >= 10; }));
        for (auto& each : all) each.close_stdin();
        for (auto& each : all) EXPECT_EQ(each.wait(patience), exited(0)) << each.err();
        check_periods(count(), aligned);
        check_keys();
    }
}

TEST_F(once_per_period, killed_and_failed_runs_are_retried_and_at_most_one_succeeds)
{
    const job_options how{.aligned = true, .retries = true};
    std::vector<process> all;
    for (int i = 0; i < workers; ++i) all.push_back(start_worker(how));
    const auto count = [&](std::string_view what) {
        std::vector<std::int64_t> times;
        for (const auto& each : all) collect(each, what, times);
        return times;
    };
    // Each kill waits for new successes, so the job goes on after it.
    for (int kills = 0; kills < 10; ++kills) {
        const auto before = count("done").size();
        ASSERT_TRUE(eventually([&] { return count("done").size() > before + 1; })) << kills;
        all[all.size() - workers].signal(SIGKILL);
        all.push_back(start_worker(how));
    }
    for (auto& each : all) each.close_stdin();
    for (auto& each : all) EXPECT_TRUE(each.wait(patience));
    check_periods(count("done"), how.aligned);
    EXPECT_GT(count("begun").size(), count("done").size()) << "some runs have failed";
    check_keys();
}

TEST_F(once_per_period, a_lost_answer_to_a_begin_makes_one_run)
{
    const auto own = proxied_client();
    once_per mine{*own, "job", 1h};
    proxy_.swallow_reply_to(touches("job"), 1, fault_proxy::afterwards::close);
    auto turn = mine.try_begin();
    ASSERT_TRUE(turn);
    EXPECT_EQ(proxy_.counts().swallowed, 1);
    EXPECT_EQ(probe_.get("pawl:mark:{job}"), "once " + turn->held().id());
    turn->done();
    EXPECT_EQ(probe_.get("pawl:mark:{job}"), "done");
    client other{options()};
    std::error_code ec;
    EXPECT_FALSE(once_per(other, "job", 1h).try_begin(ec));
    EXPECT_EQ(ec, errc::not_due);
}

TEST_F(once_per_period, a_lost_answer_to_the_end_is_no_error)
{
    const auto own = proxied_client();
    once_per mine{*own, "job", 1h, {.retry_failed = true}};
    auto turn = mine.try_begin();
    ASSERT_TRUE(turn);
    proxy_.swallow_reply_to(touches("job"), 1, fault_proxy::afterwards::close);
    turn->done();
    EXPECT_EQ(proxy_.counts().swallowed, 1);
    EXPECT_EQ(probe_.get("pawl:mark:{job}"), "done");
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(once_per_period, a_begin_whose_caller_gave_up_does_not_use_up_the_period)
{
    auto through = options(proxy_.url());
    through.command_limit = 300ms;
    client own{through};
    once_per mine{own, "job", 1h};
    mine.try_begin()->done();
    probe_.must({"DEL", "pawl:mark:{job}"});
    // All answers are lost until the caller has given up.
    proxy_.swallow_reply_to(touches("job"), 100, fault_proxy::afterwards::close);
    EXPECT_EQ(outcome_of([&] { (void)mine.try_begin(); }).code, errc::unreachable);
    EXPECT_GT(proxy_.counts().swallowed, 0) << "the server has begun it";
    proxy_.swallow_reply_to(touches("job"), 0, fault_proxy::afterwards::close);
    EXPECT_TRUE(
        eventually([&] { return !probe_.exists("job") && !probe_.exists("pawl:mark:{job}"); }));
}

TEST_F(once_per_period, a_full_memory_refuses_a_begin_and_lets_runs_end)
{
    client own{options()};
    once_per first{own, "job", 1h};
    once_per second{own, "other", 1h};
    auto turn = first.try_begin();
    ASSERT_TRUE(turn);
    probe_.must({"CONFIG", "SET", "maxmemory", "1"});
    EXPECT_EQ(outcome_of([&] { (void)second.try_begin(); }).code, errc::refused);
    turn->done();
    probe_.must({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(probe_.get("pawl:mark:{job}"), "done");
    EXPECT_FALSE(probe_.exists("pawl:mark:{other}"));
}

TEST_F(once_per_period, keys_of_other_programs_are_not_touched)
{
    client own{options()};
    probe_.must({"LPUSH", "pawl:mark:{job}", "x"});
    once_per job{own, "job", 1h};
    EXPECT_EQ(outcome_of([&] { (void)job.try_begin(); }).code, errc::not_a_lock);
    EXPECT_EQ(outcome_of([&] { (void)job.due_in(); }).code, errc::not_a_lock);
    EXPECT_EQ(probe_.must({"LLEN", "pawl:mark:{job}"}).integer, 1);
}

}  // namespace
}  // namespace pawl::test
