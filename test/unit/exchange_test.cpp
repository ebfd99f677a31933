#include "core/exchange.h"

#include "unit/at.h"

#include <gtest/gtest.h>

#include <utility>
#include <variant>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::always;
using test::at;
using kind = step::kind;

const failure lost_reply{.what = failure_kind::no_reply, .maybe_executed = true};
const failure not_sent{.what = failure_kind::unreachable};

class exchanging : public testing::Test {
protected:
    [[nodiscard]] exchange_machine machine(exchange_request what)
    {
        return {std::move(what), 300ms, random_};
    }

    // Sends the request, gets this failure instead of an answer, and sends it again.
    base::boot_time repeat(exchange_machine& m, const failure& first)
    {
        const auto sent = m.start(at(0));
        const auto step = m.on_reply(failed(sent.request, first), at(100));
        EXPECT_EQ(step.what, kind::pause);
        again_ = m.on_time(step.until);
        EXPECT_EQ(again_.what, kind::send);
        return step.until;
    }

    // The final answer.
    [[nodiscard]] static hold_reply hold_result(const exchange_machine& m)
    {
        return std::get<hold_reply>(m.result());
    }
    [[nodiscard]] static hold_status status(const exchange_machine& m)
    {
        return std::get<hold_status>(hold_result(m));
    }
    [[nodiscard]] static keep_reply keep_result(const exchange_machine& m)
    {
        return std::get<keep_reply>(m.result());
    }

    object object_{.name = "a"};
    claim mine_{&object_, "me"};
    release_request release_{.mine = mine_, .used = 7, .has_reserve = true};
    extend_request extend_{.mine = mine_, .lease = 1s};
    keep_request keep_{.mine = mine_, .lease = 1s};
    step again_;  // by repeat()
    base::random_unit random_ = always(1);
};

TEST_F(exchanging, an_answer_ends_it)
{
    for (const auto answer : {hold_status::done, hold_status::vanished, hold_status::taken}) {
        auto m = machine(release_);
        ASSERT_EQ(m.start(at(0)).what, kind::send);
        ASSERT_EQ(m.on_reply(hold_reply{answer}, at(1)).what, kind::finish);
        EXPECT_EQ(status(m), answer);
    }
    auto m = machine(release_);
    static_cast<void>(m.start(at(0)));
    const failure refused{.what = failure_kind::refused};
    ASSERT_EQ(m.on_reply(hold_reply{refused}, at(1)).what, kind::finish);
    EXPECT_EQ(std::get<failure>(hold_result(m)).what, failure_kind::refused);
}

TEST_F(exchanging, a_release_repeated_after_a_lost_reply_counts_as_released_when_the_lock_is_gone)
{
    for (const auto answer : {hold_status::vanished, hold_status::taken}) {
        auto m = machine(release_);
        static_cast<void>(repeat(m, lost_reply));
        static_cast<void>(m.on_reply(hold_reply{answer}, at(120)));
        EXPECT_EQ(status(m), hold_status::done);
    }
}

TEST_F(exchanging, a_release_repeated_after_a_lost_reply_does_not_report_the_used_fences)
{
    // By then other holders may have had the lock, with higher fences.
    for (const auto& first : {lost_reply, not_sent}) {
        auto m = machine(release_);
        static_cast<void>(repeat(m, first));
        const auto& again = std::get<release_request>(std::get<exchange_request>(again_.request));
        EXPECT_EQ(again.used, first.maybe_executed ? 0U : 7U);
        EXPECT_EQ(again.has_reserve, !first.maybe_executed);
    }
}

TEST_F(exchanging, a_release_that_was_never_sent_the_first_time_finds_a_real_loss)
{
    auto m = machine(release_);
    static_cast<void>(repeat(m, not_sent));
    static_cast<void>(m.on_reply(hold_reply{hold_status::vanished}, at(120)));
    EXPECT_EQ(status(m), hold_status::vanished);
}

TEST_F(exchanging, an_arrival_that_may_have_counted_is_not_refused_by_an_error_of_the_server)
{
    const failure full{.what = failure_kind::refused, .detail = "OOM", .maybe_executed = true};
    auto m = machine(arrive_request{.what = &object_, .participant = "p"});
    const auto sent = m.on_reply(arrive_reply{full}, repeat(m, lost_reply));
    EXPECT_EQ(sent.what, kind::finish);
    EXPECT_EQ(failure_in(m.result())->what, failure_kind::no_reply);

    auto first = machine(arrive_request{.what = &object_, .participant = "p"});
    static_cast<void>(first.start(at(0)));
    static_cast<void>(first.on_reply(arrive_reply{full}, at(1)));
    EXPECT_EQ(failure_in(first.result())->what, failure_kind::refused) << "the first try";
}

TEST_F(exchanging, an_extension_repeated_after_a_lost_reply_is_not_excused)
{
    auto m = machine(extend_);
    static_cast<void>(repeat(m, lost_reply));
    static_cast<void>(m.on_reply(hold_reply{hold_status::vanished}, at(120)));
    EXPECT_EQ(status(m), hold_status::vanished);
}

TEST_F(exchanging, a_repeated_keep_that_finds_the_lock_gone_means_that_it_was_handed_over)
{
    for (const auto answer : {hold_status::vanished, hold_status::taken}) {
        auto m = machine(keep_);
        static_cast<void>(repeat(m, lost_reply));
        ASSERT_EQ(m.on_reply(keep_reply{answer}, at(120)).what, kind::finish);
        EXPECT_TRUE(std::holds_alternative<handed_over>(keep_result(m)))
            << "this counts as released";
    }
}

TEST_F(exchanging, a_keep_that_is_answered_at_once_finds_a_real_loss)
{
    for (const auto answer : {hold_status::vanished, hold_status::taken}) {
        auto m = machine(keep_);
        static_cast<void>(repeat(m, not_sent));
        static_cast<void>(m.on_reply(keep_reply{answer}, at(120)));
        EXPECT_EQ(std::get<hold_status>(keep_result(m)), answer);
    }
}

TEST_F(exchanging, a_kept_lock_has_a_new_fence_and_counts_from_the_answered_attempt)
{
    auto m = machine(keep_);
    const auto sent = repeat(m, lost_reply);
    static_cast<void>(m.on_reply(keep_reply{kept{.fence = 17}}, at(120)));
    EXPECT_EQ(std::get<kept>(keep_result(m)).fence, 17U);
    EXPECT_EQ(m.sent(), sent);
}

TEST_F(exchanging, a_lock_that_was_handed_over_is_not_asked_for_again)
{
    auto m = machine(keep_);
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.on_reply(keep_reply{handed_over{}}, at(1)).what, kind::finish);
    EXPECT_TRUE(std::holds_alternative<handed_over>(keep_result(m)));
}

TEST_F(exchanging, it_counts_from_the_answered_attempt)
{
    auto m = machine(extend_);
    const auto sent = repeat(m, lost_reply);
    static_cast<void>(m.on_reply(hold_reply{hold_status::done}, at(130)));
    EXPECT_EQ(m.sent(), sent);
}

TEST_F(exchanging, it_ends_without_an_answer_at_the_end_of_the_patience)
{
    auto m = machine(release_);
    static_cast<void>(m.start(at(0)));
    auto step = m.on_time(at(200));
    step = m.on_time(step.until);
    ASSERT_EQ(m.on_reply(hold_reply{not_sent}, at(299)).what, kind::finish)
        << "no time for another attempt";
    EXPECT_EQ(std::get<failure>(hold_result(m)).what, failure_kind::unreachable);
}

TEST_F(exchanging, pauses_grow_but_stay_within_the_patience)
{
    auto m = machine(check_request{mine_});
    static_cast<void>(m.start(at(0)));
    auto now = at(0);
    auto last = 0ns;
    for (int i = 0; i < 4; ++i) {
        const auto step = m.on_reply(hold_reply{not_sent}, now);
        ASSERT_EQ(step.what, kind::pause);
        EXPECT_GT(step.until - now, last);
        last = step.until - now;
        now = step.until;
        static_cast<void>(m.on_time(now));
    }
    EXPECT_LE(m.on_reply(hold_reply{not_sent}, now).until, at(300));
}

TEST_F(exchanging, a_cancelled_request_is_not_repeated)
{
    auto m = machine(extend_);
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_cancel(at(1), {}).what, kind::finish);
    EXPECT_EQ(std::get<failure>(hold_result(m)).what, failure_kind::cancelled);
}

}  // namespace
}  // namespace pawl::core
