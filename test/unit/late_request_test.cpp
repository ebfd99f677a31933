// A copy of a request arrives at a memory server when its caller has given up the lock already.
#include "core/candidate.h"
#include "redis/scripts.h"
#include "store/redis/keys.h"
#include "store/redis/place.h"
#include "unit/memory_waiters_fixture.h"

#include <cstdint>
#include <future>
#include <string>
#include <utility>

namespace pawl::test {
namespace {

class late_request : public with_waiters {
protected:
    // The call gets no answer to its first request, and repeats it. So a copy of the first one may still arrive.
    template <class Call>
    [[nodiscard]] auto repeated(Call call)
    {
        client_.ping();  // a frozen server accepts no connection
        server_.freeze();
        auto under_way = std::async(std::launch::async, std::move(call));
        EXPECT_TRUE(eventually([&] { return queue_.unanswered() == 1; }));
        while (queue_.unanswered() == 1) server_.advance(100ms);
        server_.thaw();
        return under_way.get();
    }

    // A client whose request was repeated releases the lock twice, and then again after pauses. The copy is to arrive
    // during a pause: then only a later release can find what it leaves.
    void let_it_be_released_twice() { server_.advance(0s); }

    [[nodiscard]] static std::string place(std::chrono::milliseconds until)
    {
        return store::place_text({}, {"c0c0c0c0c0c0c0c0", 3s, 0}, until);
    }

    // Returns the length of the queue then.
    [[nodiscard]] std::int64_t campaign_arrives(const std::string& lock, const std::string& holder)
    {
        constexpr std::chrono::milliseconds far_future{9'000'000'000'000};
        return queue_.length_after(lock, "EVAL", redis::scripts::term_acquire.text, "4", lock,
                                   store::fence_key(lock), store::queue_key(lock),
                                   store::watch_key(lock), holder, "0", "2",
                                   place(far_future) + " " + core::candidate_text({{}, "one"}));
    }

    // Returns whether the run has begun then.
    [[nodiscard]] bool begin_arrives(const std::string& lock, const std::string& holder)
    {
        return queue_.is_held_after(lock, "EVAL", redis::scripts::once_acquire.text, "4", lock,
                                    store::fence_key(lock), store::queue_key(lock),
                                    store::mark_key(lock), holder, "0", "0", place(0ms), "3600000",
                                    "", "once");
    }
};

TEST_F(late_request, of_a_leader_that_has_yielded_leaves_no_candidate)
{
    leader mine{client_, "primary", {.lease = 3s}};
    leader theirs{other_, "primary", {.lease = 3s}};
    auto term = repeated([&] { return mine.campaign("one"); });
    const auto id = term.id();
    auto second = std::async(std::launch::async, [&] { return theirs.campaign("two"); });
    ASSERT_TRUE(eventually([&] { return queue_.length("primary") == 1; }));
    ASSERT_TRUE(term.yield_to("two"));
    const auto next = second.get();
    let_it_be_released_twice();
    EXPECT_EQ(campaign_arrives("primary", id), 1);
    server_.advance(10s);
    EXPECT_EQ(queue_.length("primary"), 0);
    EXPECT_EQ(next.state(), hold_state::held);
}

// The mark of the first period has gone when the copy arrives.
TEST_F(late_request, of_a_run_that_is_over_does_not_use_up_the_next_period)
{
    once_per report{client_, "report", 1h};
    auto turn = repeated([&] { return report.try_begin(); });
    ASSERT_TRUE(turn);
    const auto id = turn->held().id();
    turn->done();
    EXPECT_GT(report.due_in(), 59min);
    server_.lose(store::mark_key("report"));
    let_it_be_released_twice();
    EXPECT_TRUE(begin_arrives("report", id));
    server_.advance(10s);
    EXPECT_FALSE(server_.is_locked("report"));
    EXPECT_EQ(report.due_in(), 0s);
}

}  // namespace
}  // namespace pawl::test
