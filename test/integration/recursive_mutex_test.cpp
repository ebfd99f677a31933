// pawl::recursive_mutex: the count is on the server, and the lock is free at zero.
#include "integration/fixture.h"
#include "support/no_descriptors.h"
#include "support/sanitized.h"

#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

namespace pawl::test {
namespace {

class recursion : public with_server, public testing::WithParamInterface<layout> {
protected:
    [[nodiscard]] bool hashed() const { return GetParam() == layout::hash; }

    void expect_count(const std::string& id, std::int64_t count)
    {
        EXPECT_TRUE(probe_.exists("job"));
        if (hashed()) {
            EXPECT_EQ(hash_count("job", id), count);
        }
    }

    client client_{options()};
    client other_client_{options()};
    recursive_mutex mutex_{client_, "job", quick(10s, GetParam())};
    recursive_mutex others_{other_client_, "job", quick(10s, GetParam())};
};

TEST_P(recursion, is_counted_up_and_down_and_frees_at_zero)
{
    mutex_.lock();
    const std::string id = mutex_.current()->id();
    expect_count(id, 1);
    mutex_.lock();
    expect_count(id, 2);
    EXPECT_TRUE(mutex_.try_lock());
    expect_count(id, 3);
    EXPECT_TRUE(mutex_.try_lock_for(1s));
    expect_count(id, 4);
    for (std::int64_t left = 3; left > 0; --left) {
        mutex_.unlock();
        expect_count(id, left);
        EXPECT_FALSE(others_.try_acquire());
    }
    mutex_.unlock();
    EXPECT_FALSE(probe_.exists("job"));
    EXPECT_EQ(mutex_.current(), nullptr);
    EXPECT_TRUE(others_.try_acquire());
}

#if !PAWL_ADDRESS_SANITIZED  // UBSan, which runs together with it, needs descriptors
TEST_P(recursion, is_free_after_the_release_even_if_an_entry_failed_for_lack_of_descriptors)
{
    auto outer = mutex_.acquire();
    std::stop_source stop;
    std::error_code told;
    server_.freeze();  // so that the call has to wait
    {
        const no_descriptors here;
        EXPECT_FALSE(mutex_.try_acquire(stop.get_token(), told));
    }
    server_.thaw();
    EXPECT_EQ(told, errc::unreachable)
        << "it needs a descriptor to wait for the answer or for the stop";
    outer.release();
    EXPECT_FALSE(probe_.exists("job"));
    EXPECT_TRUE(client_.holds().empty()) << "otherwise it would be renewed forever";
    EXPECT_TRUE(others_.try_acquire());
}
#endif

TEST_P(recursion, shares_the_id_and_the_fence_of_the_first_grant)
{
    const std::scoped_lock outer{mutex_};
    const std::string id = mutex_.current()->id();
    const std::uint64_t fence = mutex_.current()->fence();
    const std::scoped_lock inner{mutex_};
    EXPECT_EQ(mutex_.current()->id(), id);
    EXPECT_EQ(mutex_.current()->fence(), fence);
    EXPECT_EQ(client_.holds().size(), 1);
}

TEST_P(recursion, refreshes_the_lease)
{
    lock_options fixed = quick(2s, GetParam());
    fixed.renew = false;
    recursive_mutex lock{client_, "job", fixed};
    const std::scoped_lock outer{lock};
    ASSERT_TRUE(eventually([&] { return probe_.ttl("job") < 1700ms; }));
    const std::scoped_lock inner{lock};
    EXPECT_GT(probe_.ttl("job"), 1800ms);
    EXPECT_GT(lock.current()->valid_for(), 1700ms);
}

TEST_P(recursion, belongs_to_one_thread_only)
{
    const std::scoped_lock outer{mutex_};
    std::jthread{[&] {
        EXPECT_FALSE(mutex_.try_lock());
        EXPECT_FALSE(mutex_.try_acquire());
        std::error_code told;
        mutex_.unlock(told);
        EXPECT_EQ(told, errc::not_owner);
    }}.join();
    expect_count(mutex_.current()->id(), 1);
}

TEST_P(recursion, works_with_handles_released_in_any_order)
{
    hold first = mutex_.acquire();
    hold second = mutex_.acquire();
    hold third = mutex_.acquire();
    const std::string id = first.id();
    EXPECT_EQ(second.id(), id);
    expect_count(id, 3);
    first.release();
    expect_count(id, 2);
    EXPECT_EQ(first.state(), hold_state::released);
    EXPECT_EQ(third.state(), hold_state::held);
    std::jthread{[&] { third.release(); }}.join();
    expect_count(id, 1);
    EXPECT_TRUE(second.confirm());
    second.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(recursion, released_twice_by_one_handle_counts_once)
{
    hold first = mutex_.acquire();
    hold second = mutex_.acquire();
    second.release();
    std::error_code told;
    second.release(told);
    EXPECT_EQ(told, errc::not_owner);
    expect_count(first.id(), 1);
}

TEST_P(recursion, is_a_new_grant_after_it_was_free)
{
    std::string id;
    std::uint64_t fence = 0;
    {
        const std::scoped_lock outer{mutex_};
        id = mutex_.current()->id();
        fence = mutex_.current()->fence();
    }
    const std::scoped_lock again{mutex_};
    EXPECT_NE(mutex_.current()->id(), id);
    EXPECT_GT(mutex_.current()->fence(), fence);
}

TEST_P(recursion, is_renewed_while_any_hold_exists)
{
    recursive_mutex lock{client_, "job", quick(2400ms, GetParam())};
    lock.lock();
    lock.lock();
    lock.unlock();
    EXPECT_TRUE(always(2s, [&] { return lock.current()->state() == hold_state::held; }));
    lock.unlock();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(recursion, goes_no_deeper_than_its_limit)
{
    lock_options deep = quick(30s, GetParam());
    recursive_mutex lock{client_, "job", deep};
    lock.lock();
    for (int i = 0; i < 255; ++i) lock.lock();
    expect_count(lock.current()->id(), 256);
    const outcome told = outcome_of([&] { lock.lock(); });
    EXPECT_EQ(told.code, errc::bad_argument);
    EXPECT_TRUE(says(told.message, "255"));
    for (int i = 0; i < 255; ++i) lock.unlock();
    expect_count(lock.current()->id(), 1);
    lock.unlock();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(recursion, lost_once_is_lost_for_every_handle)
{
    recursive_mutex lock{client_, "job", quick(600ms, GetParam())};
    hold first = lock.acquire();
    hold second = lock.acquire();
    probe_.must({"DEL", "job"});
    (void)events_.first(hold_state::lost);
    EXPECT_EQ(first.state(), hold_state::lost);
    EXPECT_EQ(second.state(), hold_state::lost);
    EXPECT_TRUE(first.lost().stop_requested());
    EXPECT_TRUE(second.lost().stop_requested());
    std::error_code told;
    first.release(told);
    EXPECT_EQ(told, errc::lost);
}

TEST_P(recursion, does_not_re_enter_a_lost_lock)
{
    recursive_mutex lock{client_, "job", quick(600ms, GetParam())};
    lock.lock();
    const std::string id = lock.current()->id();
    probe_.must({"DEL", "job"});
    (void)events_.first(hold_state::lost);
    // Another holder may have worked under the lock meanwhile. A re-entry would hide that.
    const outcome told = outcome_of([&] { lock.lock(); });
    EXPECT_EQ(told.code, errc::lost);
    EXPECT_FALSE(probe_.exists("job"));
    lock.unlock();
    lock.lock();
    EXPECT_NE(lock.current()->id(), id);
    lock.unlock();
}

TEST_P(recursion, detects_a_loss_at_a_re_entry)
{
    mutex_.lock();
    probe_.must({"DEL", "job"});
    EXPECT_EQ(outcome_of([&] { mutex_.lock(); }).code, errc::lost);
    EXPECT_EQ(mutex_.current()->state(), hold_state::lost);
    EXPECT_FALSE(probe_.exists("job"));
    mutex_.unlock();
}

TEST_P(recursion, uses_the_hash_layout_by_default)
{
    recursive_mutex standard{client_, "standard"};
    mutex plain{client_, "plain"};
    const std::scoped_lock both{standard, plain};
    EXPECT_EQ(probe_.must({"TYPE", "standard"}).text, "hash");
    EXPECT_EQ(probe_.must({"TYPE", "plain"}).text, "string");
    EXPECT_EQ(probe_.must({"HGETALL", "standard"}).texts(),
              (std::vector<std::string>{standard.current()->id(), "1"}));
}

INSTANTIATE_TEST_SUITE_P(in, recursion, testing::Values(layout::plain, layout::hash),
                         [](const auto& the) {
                             return the.param == layout::plain ? "plain" : "hash";
                         });

}  // namespace
}  // namespace pawl::test
