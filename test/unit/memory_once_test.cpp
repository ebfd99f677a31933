// pawl::once_per over a memory server.
#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace pawl::test {
namespace {

static_assert(!std::is_copy_constructible_v<once_per> && !std::is_move_constructible_v<once_per>);
static_assert(std::is_nothrow_move_constructible_v<once_per::turn> &&
              !std::is_copy_constructible_v<once_per::turn>);

constexpr once_options retried{.retry_failed = true};

class memory_once : public with_memory {
protected:
    // Why no run may begin now. No error if one did; it is a success.
    [[nodiscard]] static std::error_code try_run(once_per& job)
    {
        std::error_code ec;
        auto turn = job.try_begin(ec);
        EXPECT_EQ(turn.has_value(), !ec);
        if (turn) turn->done();
        return ec;
    }

    queue_view queue_{server_.url()};
    client other_{options()};
    once_per report_{client_, "report", 1h};
    once_per theirs_{other_, "report", 1h};
    once_per import_{client_, "import", 1h, retried};
    once_per their_import_{other_, "import", 1h, retried};
};

TEST_F(memory_once, runs_once_in_each_period)
{
    EXPECT_EQ(report_.due_in(), 0s);
    EXPECT_EQ(try_run(report_), std::error_code{});
    EXPECT_EQ(try_run(theirs_), errc::not_due);
    EXPECT_EQ(try_run(report_), errc::not_due);
    server_.advance(59min);
    EXPECT_EQ(try_run(theirs_), errc::not_due);
    EXPECT_GT(theirs_.due_in(), 59s);
    EXPECT_LE(theirs_.due_in(), 1min);
    server_.advance(61s);
    EXPECT_EQ(report_.due_in(), 0s);
    EXPECT_EQ(try_run(theirs_), std::error_code{});
    EXPECT_EQ(try_run(report_), errc::not_due);
}

TEST_F(memory_once, the_forms_without_an_error_code_return_nothing)
{
    auto turn = report_.try_begin();
    ASSERT_TRUE(turn);
    EXPECT_TRUE(*turn);
    EXPECT_FALSE(theirs_.try_begin());
    turn->done();
    EXPECT_FALSE(*turn);
    EXPECT_FALSE(theirs_.try_begin());
    EXPECT_FALSE(theirs_.try_begin(std::stop_token{}));
}

TEST_F(memory_once, is_busy_while_a_run_is_under_way)
{
    const auto turn = report_.try_begin();
    EXPECT_EQ(try_run(theirs_), errc::busy);
    EXPECT_EQ(try_run(report_), errc::busy);
    EXPECT_EQ(server_.holder("report"), turn->held().id());
}

TEST_F(memory_once, a_run_is_renewed_and_may_last_longer_than_the_period)
{
    auto turn = report_.try_begin();
    server_.advance(3h);
    EXPECT_EQ(turn->held().state(), hold_state::held);
    EXPECT_EQ(try_run(theirs_), errc::busy);
    turn->done();
    EXPECT_EQ(try_run(theirs_), std::error_code{});
}

TEST_F(memory_once, the_period_counts_from_the_begin_of_the_run)
{
    auto turn = report_.try_begin();
    server_.advance(40min);
    turn->done();
    server_.advance(19min);
    EXPECT_EQ(try_run(theirs_), errc::not_due);
    server_.advance(1min + 1s);
    EXPECT_EQ(try_run(theirs_), std::error_code{});
}

TEST_F(memory_once, aligned_periods_begin_at_multiples_of_the_period)
{
    once_per daily{client_, "daily", 24h, {.aligned = true}};
    EXPECT_EQ(try_run(daily), std::error_code{});
    const auto left = daily.due_in();
    EXPECT_LE(left, 24h);
    server_.advance(left + 1s);
    EXPECT_EQ(try_run(daily), std::error_code{});
    EXPECT_GT(daily.due_in(), 24h - 2s);
    EXPECT_LE(daily.due_in(), 24h);
}

// ── Failed runs ─────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_once, a_run_that_is_not_done_counts)
{
    static_cast<void>(report_.try_begin());
    EXPECT_EQ(try_run(theirs_), errc::not_due);
}

TEST_F(memory_once, a_run_that_is_not_done_is_retried_if_that_is_wanted)
{
    static_cast<void>(import_.try_begin());
    EXPECT_EQ(their_import_.due_in(), 0s);
    EXPECT_EQ(try_run(their_import_), std::error_code{});
    EXPECT_EQ(try_run(import_), errc::not_due);
}

TEST_F(memory_once, a_hold_that_is_released_ends_the_run_as_a_failure)
{
    auto turn = import_.try_begin();
    turn->held().release();
    std::error_code ec;
    turn->done(ec);
    EXPECT_EQ(ec, errc::not_owner);
    EXPECT_EQ(try_run(their_import_), std::error_code{});
}

TEST_F(memory_once, a_crashed_run_counts)
{
    const auto turn = report_.try_begin();
    server_.cut_off(client_);
    server_.advance(31s);
    EXPECT_TRUE(turn->lost().stop_requested());
    EXPECT_EQ(try_run(theirs_), errc::not_due);
    server_.advance(1h);
    EXPECT_EQ(try_run(theirs_), std::error_code{});
}

TEST_F(memory_once, a_crashed_run_is_retried_after_its_lease_if_that_is_wanted)
{
    const auto turn = import_.try_begin();
    server_.cut_off(client_);
    server_.advance(29s);
    EXPECT_EQ(try_run(their_import_), errc::busy);
    server_.advance(2s);
    const auto next = their_import_.try_begin();
    ASSERT_TRUE(next);
    EXPECT_GT(next->fence(), turn->fence());
}

TEST_F(memory_once, the_end_of_a_lost_run_does_not_affect_the_next_one)
{
    auto turn = import_.try_begin();
    server_.cut_off(client_);
    server_.advance(31s);
    auto next = their_import_.try_begin();
    server_.reconnect(client_);
    EXPECT_EQ(code_of([&] { turn->done(); }), errc::lost);
    server_.advance(5s);
    EXPECT_EQ(next->held().state(), hold_state::held);
    next.reset();
    EXPECT_EQ(try_run(import_), std::error_code{}) << "the next run has failed";
}

TEST_F(memory_once, a_run_that_is_done_after_it_was_lost_counts_if_no_other_has_begun)
{
    auto turn = import_.try_begin();
    server_.lose("import");
    server_.advance(11s);
    EXPECT_EQ(code_of([&] { turn->done(); }), errc::lost);
    server_.advance(1s);
    EXPECT_EQ(try_run(their_import_), errc::not_due);
}

// ── Lost answers ────────────────────────────────────────────────────────────────────────────────

// The first request of a client has no time limit of its own, because the client does not know the server's
// clock yet. So it is executed when the server thaws, although its caller has given up.
TEST_F(memory_once, a_begin_without_an_answer_does_not_use_up_the_period)
{
    for (auto* const job : {&report_, &import_}) {
        server_.freeze();
        auto call = std::async(std::launch::async, [&] { return try_run(*job); });
        EXPECT_TRUE(eventually([&] { return queue_.unanswered() > 0; }));
        while (call.wait_for(0s) != std::future_status::ready) server_.advance(1s);
        EXPECT_EQ(call.get(), errc::unreachable);
        server_.thaw();
        server_.advance(5s);
        EXPECT_FALSE(server_.is_locked(job->name()));
        EXPECT_EQ(job->due_in(), 0s);
        EXPECT_EQ(try_run(*job), std::error_code{});
    }
}

TEST_F(memory_once, a_begin_whose_answer_is_late_is_repeated)
{
    server_.freeze();
    auto call = std::async(std::launch::async, [&] { return try_run(report_); });
    EXPECT_TRUE(eventually([&] { return queue_.unanswered() > 0; }));
    server_.advance(500ms);
    server_.thaw();
    while (call.wait_for(20ms) != std::future_status::ready) server_.advance(100ms);
    EXPECT_EQ(call.get(), std::error_code{});
    EXPECT_EQ(try_run(theirs_), errc::not_due);
    server_.advance(1min);
    EXPECT_FALSE(server_.is_locked("report"));
    EXPECT_EQ(try_run(theirs_), errc::not_due);
}

TEST_F(memory_once, done_without_an_answer_is_repeated_in_the_background)
{
    auto turn = import_.try_begin();
    server_.freeze();
    auto call = std::async(std::launch::async, [&] { return code_of([&] { turn->done(); }); });
    EXPECT_TRUE(eventually([&] { return queue_.unanswered() > 0; }));
    while (call.wait_for(0s) != std::future_status::ready) server_.advance(1s);
    EXPECT_EQ(call.get(), errc::unreachable);
    server_.thaw();
    server_.advance(1s);
    EXPECT_EQ(try_run(their_import_), errc::not_due);
}

TEST_F(memory_once, a_cancelled_begin_uses_nothing_up)
{
    server_.freeze();
    std::stop_source stop;
    auto call = std::async(std::launch::async, [&] {
        std::error_code ec;
        EXPECT_FALSE(report_.try_begin(stop.get_token(), ec));
        return ec;
    });
    EXPECT_TRUE(eventually([&] { return queue_.unanswered() > 0; }));
    stop.request_stop();
    EXPECT_EQ(call.get(), errc::cancelled);
    server_.thaw();
    server_.advance(5s);
    EXPECT_FALSE(server_.is_locked("report"));
    EXPECT_EQ(try_run(theirs_), std::error_code{});
}

TEST_F(memory_once, a_stopped_token_begins_nothing)
{
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(report_.try_begin(stop.get_token()));
    EXPECT_FALSE(queue_.has_fence("report"));
}

// ── The rest ────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_once, a_server_that_lost_its_data_has_forgotten_the_run)
{
    const auto turn = report_.try_begin();
    server_.lose_data();
    const auto next = theirs_.try_begin();
    ASSERT_TRUE(next);
    EXPECT_GT(next->fence(), turn->fence());
}

TEST_F(memory_once, a_mutex_of_the_same_name_excludes_runs)
{
    mutex same{other_, "report"};
    hold held = same.acquire();
    EXPECT_EQ(try_run(report_), errc::busy);
    held.release();
    auto turn = report_.try_begin();
    ASSERT_TRUE(turn);
    EXPECT_FALSE(same.try_acquire());
    turn->done();
    EXPECT_TRUE(same.try_acquire());
}

TEST_F(memory_once, the_object_may_be_destroyed_before_its_turn)
{
    auto job = std::make_unique<once_per>(client_, "job", 1h);
    auto turn = job->try_begin();
    job.reset();
    server_.advance(1min);
    EXPECT_EQ(turn->held().state(), hold_state::held);
    turn->done();
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(memory_once, an_empty_turn_has_nothing_to_end)
{
    once_per::turn empty;
    EXPECT_FALSE(empty);
    EXPECT_EQ(empty.fence(), 0U);
    EXPECT_EQ(code_of([&] { empty.done(); }), errc::not_owner);
    auto moved = std::move(*report_.try_begin());
    moved.done();
    EXPECT_EQ(code_of([&] { moved.done(); }), errc::not_owner);
}

TEST_F(memory_once, the_question_when_it_is_due_fails_as_other_calls_do)
{
    server_.freeze();
    auto call = std::async(std::launch::async, [&] {
        std::error_code ec;
        EXPECT_EQ(report_.due_in(ec), 0ms);
        return ec;
    });
    while (call.wait_for(0s) != std::future_status::ready) server_.advance(1s);
    EXPECT_EQ(call.get(), errc::unreachable);
}

TEST_F(memory_once, bad_arguments_are_refused_with_the_value_and_the_allowed_range)
{
    const auto message = [&](std::chrono::milliseconds period, const lock_options& lock) {
        try {
            const once_per job{client_, "job", period, {}, lock};
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::bad_argument);
            return std::string{problem.what()};
        }
        return std::string{};
    };
    EXPECT_EQ(message(9ms, {}), "period: 9 ms (allowed: 10 ms to 366 days)");
    EXPECT_EQ(message(367 * 24h, {}), "period: 31708800000 ms (allowed: 10 ms to 366 days)");
    EXPECT_EQ(message(1h, {.linger = 5ms}), "linger: 5 ms of a once_per (allowed: 0)");
    EXPECT_EQ(message(1h, {.layout = layout::plain}),
              "layout: a value of a once_per (allowed: unset: there is one layout)");
    EXPECT_EQ(code_of([&] { const once_per job(client_, "", 1h); }), errc::bad_argument);
}

TEST_F(memory_once, has_its_name_and_its_period)
{
    EXPECT_EQ(report_.name(), "report");
    EXPECT_EQ(report_.period(), 1h);
}

}  // namespace
}  // namespace pawl::test
