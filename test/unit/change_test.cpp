// What becomes of a hold that the server was asked to exchange for another one, for each answer.
#include "sync/change.h"
#include "core/exchange.h"
#include "core/request.h"
#include "sync/async_access.h"
#include "unit/memory_fixture.h"

#include <pawl/shared_mutex.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace pawl::test {
namespace {

using core::failure_kind;
using core::hold_status;
using step = core::step::kind;

// A change whose request is answered as the test says.
class told_change final : public sync::change {
public:
    using verdict = change::verdict;

    told_change(const sync::grant_ptr& mine, verdict says)
        : change{mine},
          says_{std::move(says)},
          asks_{core::check_request{mine->lease().mine()}, 1s, mine->client().random(),
                mine->share_lease()}
    {
    }

private:
    [[nodiscard]] core::machine& request() override { return asks_; }
    [[nodiscard]] verdict judge() override { return says_; }

    verdict says_;
    core::exchange_machine asks_;
};

using kind = told_change::verdict::kind;

class change_of_a_hold : public with_memory {
protected:
    // Runs it. `still_in` is the answer to the second question, if there is one.
    [[nodiscard]] sync::change::result run(told_change::verdict says,
                                           std::optional<core::hold_reply> still_in = {})
    {
        told_change what{async_access::look_at(reader_), std::move(says)};
        EXPECT_EQ(what.start(now()).what, step::send);
        auto next = what.on_reply(core::hold_reply{hold_status::done}, now());
        EXPECT_EQ(next.what, still_in ? step::send : step::finish);
        if (still_in) next = what.on_reply(*still_in, now());
        EXPECT_EQ(next.what, step::finish);
        return what.outcome();
    }

    [[nodiscard]] static std::error_code code(const sync::change::result& got)
    {
        const auto* const failed = std::get_if<sync::trouble>(&got);
        return failed != nullptr ? make_error_code(failed->code) : std::error_code{};
    }

    [[nodiscard]] base::boot_time now() const
    {
        return async_access::granted(reader_)->client().platform().now();
    }

    shared_mutex prices_{client_, "prices"};
    hold reader_ = prices_.acquire_shared();
    const told_change::verdict error_{.what = kind::error, .why = {errc::refused, "NOPERM"}};
};

TEST_F(change_of_a_hold, ends_it_if_the_other_one_is_in)
{
    EXPECT_TRUE(std::get<bool>(run({.what = kind::changed})));
    EXPECT_FALSE(reader_);
    EXPECT_TRUE(client_.holds().empty());
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

TEST_F(change_of_a_hold, does_not_end_it_twice)
{
    told_change what{async_access::look_at(reader_), {.what = kind::changed}};
    EXPECT_EQ(what.start(now()).what, step::send);
    reader_.release();
    EXPECT_EQ(what.on_reply(core::hold_reply{hold_status::done}, now()).what, step::finish);
    EXPECT_TRUE(std::get<bool>(what.outcome()));
}

TEST_F(change_of_a_hold, leaves_it_if_the_server_says_no)
{
    EXPECT_FALSE(std::get<bool>(run({.what = kind::declined})));
    EXPECT_EQ(reader_.state(), hold_state::held);
}

TEST_F(change_of_a_hold, loses_it_if_the_server_does_not_know_it)
{
    EXPECT_EQ(code(run({.what = kind::gone, .found = hold_status::taken})), errc::lost);
    EXPECT_EQ(reader_.why(), cause::taken);
}

TEST_F(change_of_a_hold, leaves_it_after_an_error_if_it_is_still_in)
{
    EXPECT_EQ(code(run(error_, hold_status::done)), errc::refused);
    EXPECT_EQ(reader_.state(), hold_state::held);
}

TEST_F(change_of_a_hold, loses_it_after_an_error_if_it_is_not_in)
{
    EXPECT_EQ(code(run(error_, hold_status::vanished)), errc::lost);
    EXPECT_EQ(reader_.why(), cause::vanished);
}

TEST_F(change_of_a_hold, loses_it_after_an_error_if_the_server_does_not_say)
{
    const core::failure refused{.what = failure_kind::refused, .detail = "NOPERM"};
    EXPECT_EQ(code(run(error_, refused)), errc::unreachable);
    EXPECT_EQ(reader_.why(), cause::unreachable);
}

TEST_F(change_of_a_hold, leaves_it_if_nothing_was_sent)
{
    EXPECT_EQ(code(run({.what = kind::unanswered,
                        .why = {errc::unreachable, "no connection"},
                        .maybe_executed = false})),
              errc::unreachable);
    EXPECT_EQ(reader_.state(), hold_state::held);
}

TEST_F(change_of_a_hold, loses_it_if_a_try_may_yet_be_executed)
{
    EXPECT_EQ(code(run({.what = kind::unanswered, .why = {errc::busy, {}}})), errc::unreachable);
    EXPECT_EQ(reader_.why(), cause::unreachable);
}

TEST_F(change_of_a_hold, loses_it_if_it_never_runs_to_its_end)
{
    {
        const told_change what{async_access::look_at(reader_), {.what = kind::changed}};
    }
    EXPECT_EQ(reader_.state(), hold_state::lost);
}

TEST_F(change_of_a_hold, loses_it_if_the_system_fails_or_the_client_is_destroyed)
{
    told_change fails{async_access::look_at(reader_), {.what = kind::changed}};
    EXPECT_EQ(fails.start(now()).what, step::send);
    fails.fail("no descriptors");
    EXPECT_EQ(code(fails.outcome()), errc::unreachable);
    EXPECT_EQ(reader_.state(), hold_state::lost);

    reader_ = prices_.acquire_shared();
    told_change ends{async_access::look_at(reader_), {.maybe_executed = false}};
    EXPECT_EQ(ends.start(now()).what, step::send);
    EXPECT_EQ(ends.on_cancel(now(), core::client_destroyed).what, step::finish);
    EXPECT_EQ(code(ends.outcome()), errc::cancelled);
    EXPECT_EQ(reader_.state(), hold_state::lost);
}

TEST_F(change_of_a_hold, does_not_begin_if_it_is_lost)
{
    server_.lose("prices");
    EXPECT_FALSE(reader_.confirm());
    told_change what{async_access::look_at(reader_), {.what = kind::changed}};
    EXPECT_EQ(what.start(now()).what, step::finish);
    EXPECT_EQ(code(what.outcome()), errc::lost);
}

}  // namespace
}  // namespace pawl::test
