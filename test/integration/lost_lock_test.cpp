// The lock disappears from the server while it is held: the holder is told, with the cause.
#include "integration/fixture.h"

#include <optional>

namespace pawl::test {
namespace {

constexpr auto lease = 2400ms;

class lost_lock : public with_server, public testing::WithParamInterface<layout> {
protected:
    // The holder is told by the next renewal, at most a third of the lease later.
    event told(const hold& held)
    {
        return events_.first(hold_state::lost, held.id(), lease / 3 + slack);
    }

    // The new value must not be changed.
    void release_changes_nothing(hold& held, const std::string& type)
    {
        std::error_code code;
        held.release(code);
        EXPECT_EQ(code, errc::lost);
        EXPECT_EQ(probe_.must({"TYPE", "job"}).text, type);
    }

    client client_{options()};
    mutex mutex_{client_, "job", quick(lease, GetParam())};
};

TEST_P(lost_lock, deleted_is_vanished)
{
    hold held = mutex_.acquire();
    probe_.must({"DEL", "job"});
    const event lost = told(held);
    EXPECT_EQ(lost.why, cause::vanished);
    EXPECT_EQ(lost.from, hold_state::held);
    EXPECT_EQ(lost.lock, "job");
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::vanished);
    EXPECT_EQ(held.valid_for(), 0ns);
    EXPECT_TRUE(held.lost().stop_requested());
    EXPECT_TRUE(eventually([&] { return contains(events_.text(), "vanished"); }));
    release_changes_nothing(held, "none");  // and it was not created again (D2)
}

TEST_P(lost_lock, flushed_is_vanished)
{
    const hold held = mutex_.acquire();
    probe_.must({"FLUSHALL"});
    EXPECT_EQ(told(held).why, cause::vanished);
}

TEST_P(lost_lock, of_a_server_restarted_without_data_is_vanished)
{
    hold held = mutex_.acquire();
    server_.restart();
    EXPECT_EQ(events_.first(hold_state::lost, held.id(), lease + slack).why, cause::vanished);
    EXPECT_TRUE(mutex_.try_acquire());
}

TEST_P(lost_lock, overwritten_is_taken)
{
    hold held = mutex_.acquire();
    if (GetParam() == layout::plain) {
        probe_.must({"SET", "job", "someone else", "PX", "60000"});
    } else {
        probe_.must({"DEL", "job"});
        probe_.must({"HSET", "job", "someone else", "1"});
    }
    EXPECT_EQ(told(held).why, cause::taken);
    release_changes_nothing(held, GetParam() == layout::plain ? "string" : "hash");
}

TEST_P(lost_lock, replaced_by_another_type_is_not_a_lock)
{
    hold held = mutex_.acquire();
    probe_.must({"DEL", "job"});
    probe_.must({"RPUSH", "job", "an item"});
    EXPECT_EQ(told(held).why, cause::not_a_lock);
    release_changes_nothing(held, "list");
}

TEST_P(lost_lock, is_detected_by_confirm)
{
    hold held = mutex_.acquire();
    EXPECT_TRUE(held.confirm());
    probe_.must({"DEL", "job"});
    EXPECT_FALSE(held.confirm());
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::vanished);
    EXPECT_FALSE(held.confirm());
}

TEST_P(lost_lock, is_detected_by_extend_and_not_created_again)
{
    hold held = mutex_.acquire();
    probe_.must({"DEL", "job"});
    const outcome code = outcome_of([&] { held.extend(5s); });
    EXPECT_EQ(code.code, errc::lost);
    EXPECT_TRUE(says(code.message, "job"));
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lost_lock, is_detected_by_release)
{
    hold held = mutex_.acquire();
    probe_.must({"DEL", "job"});
    std::error_code code;
    held.release(code);
    EXPECT_EQ(code, errc::lost);
}

TEST_P(lost_lock, can_be_acquired_again)
{
    hold held = mutex_.acquire();
    probe_.must({"DEL", "job"});
    (void)told(held);
    const std::optional<hold> again = mutex_.try_acquire();
    ASSERT_TRUE(again);
    EXPECT_GT(again->fence(), held.fence());
    EXPECT_NE(again->id(), held.id());
}

TEST_P(lost_lock, does_not_stop_the_renewal_of_others)
{
    mutex second{client_, "second", quick(lease, GetParam())};
    const hold held = mutex_.acquire();
    const hold other = second.acquire();
    probe_.must({"DEL", "job"});
    (void)told(held);
    EXPECT_TRUE(always(lease, [&] { return other.state() == hold_state::held; }));
}

TEST_P(lost_lock, a_key_of_another_type_cannot_be_acquired)
{
    probe_.must({"RPUSH", "job", "an item"});
    const outcome told_at_once = outcome_of([&] { (void)mutex_.try_acquire(); });
    EXPECT_EQ(told_at_once.code, errc::not_a_lock);
    EXPECT_TRUE(says(told_at_once.message, "job"));
    EXPECT_EQ(outcome_of([&] { (void)mutex_.try_acquire_for(1s); }).code, errc::not_a_lock);
    EXPECT_EQ(probe_.must({"TYPE", "job"}).text, "list");
}

INSTANTIATE_TEST_SUITE_P(in, lost_lock, testing::Values(layout::plain, layout::hash),
                         [](const auto& the) {
                             return the.param == layout::plain ? "plain" : "hash";
                         });

}  // namespace
}  // namespace pawl::test
