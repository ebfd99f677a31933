// A client that keeps a lock for a while after the last release, in case the client wants it again.
#include "integration/contended.h"
#include "support/fault_proxy.h"

#include <algorithm>
#include <memory>
#include <thread>

namespace pawl::test {
namespace {

lock_options lingering_for(std::chrono::milliseconds linger,
                           std::chrono::milliseconds lease = long_lease)
{
    lock_options made = quick(lease);
    made.linger = linger;
    return made;
}

class lingering : public contended, public testing::WithParamInterface<layout> {
protected:
    [[nodiscard]] lock_options lingering_here(std::chrono::milliseconds linger,
                                              std::chrono::milliseconds lease = long_lease)
    {
        lock_options made = lingering_for(linger, lease);
        made.layout = GetParam();
        return made;
    }

    // Acquires and releases until the lock stays after a release: a client lets it linger only when
    // it can hear that another client wants it.
    [[nodiscard]] std::uint64_t start_lingering(mutex& lock)
    {
        std::uint64_t last = 0;
        EXPECT_TRUE(eventually([&] {
            last = lock.acquire().fence();
            return probe_.exists("job");
        }));
        return last;
    }
};

INSTANTIATE_TEST_SUITE_P(layouts, lingering, testing::Values(layout::plain, layout::hash),
                         layout_name);

TEST_P(lingering, makes_locking_again_need_no_request)
{
    mutex lock{first_, "job", lingering_here(1min)};
    auto last = start_lingering(lock);
    const auto before = probe_.all_calls();
    for (int i = 0; i < 100; ++i) {
        const hold held = lock.acquire();
        EXPECT_GT(held.fence(), last);
        EXPECT_GT(held.valid_for(), 0ms);
        last = held.fence();
    }
    const auto after = probe_.all_calls();
    EXPECT_EQ(before, after);
    EXPECT_TRUE(probe_.exists("job"));
}

TEST_P(lingering, is_shared_by_all_mutexes_with_that_name_and_client)
{
    mutex lock{first_, "job", lingering_here(1min)};
    mutex twin{first_, "job", lingering_here(1min)};
    const auto last = start_lingering(lock);
    const auto before = probe_.calls("evalsha");
    EXPECT_GT(twin.acquire().fence(), last);
    EXPECT_EQ(probe_.calls("evalsha"), before);
}

TEST_P(lingering, does_not_make_other_clients_wait)
{
    mutex lock{first_, "job", lingering_here(1min)};
    mutex other{second_, "job", lingering_here(1min)};
    std::uint64_t last = 0;
    for (int i = 0; i < 10; ++i) {
        mutex& next = i % 2 == 0 ? lock : other;
        std::optional<hold> held;
        EXPECT_LT(time_of([&] { held = next.try_acquire_for(patience); }), soon);
        ASSERT_TRUE(held);
        EXPECT_GT(held->fence(), last);
        last = held->fence();
    }
}

TEST_P(lingering, ends_at_once_when_wanted_but_not_while_the_lock_is_held)
{
    mutex lock{first_, "job", lingering_here(1min)};
    mutex other{second_, "job", quick(long_lease, GetParam())};
    (void)start_lingering(lock);
    std::optional<hold> held = lock.acquire();
    asking next{other};
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(next.ends_within(300ms));
    EXPECT_TRUE(held->confirm());
    held->release();
    EXPECT_TRUE(next.ends_within(soon));
}

class deaf_lingering : public lingering {
protected:
    [[nodiscard]] std::vector<std::string> channels()
    {
        return probe_.must({"PUBSUB", "CHANNELS", "pawl:*"}).texts();
    }

    // Another client asks for the held lock while this client cannot hear it. Later it can hear
    // again.
    void expect_no_lingering_of(hold& held)
    {
        mutex other{second_, "job", quick(long_lease, GetParam())};
        const auto before = channels().size();
        asking next{other};
        ASSERT_TRUE(until_queued(1));
        proxy_.set_door(fault_proxy::door::open);
        ASSERT_TRUE(eventually([&] { return channels().size() == before + 2; }));
        std::this_thread::sleep_for(100ms);  // the client notices a little later that it listens
        held.release();
        EXPECT_TRUE(next.ends_within(soon));
    }

    fault_proxy proxy_{server_.port()};
    client own_{options(proxy_.url())};
    mutex lock_{own_, "job", lingering_here(1min)};
};

INSTANTIATE_TEST_SUITE_P(layouts, deaf_lingering, testing::Values(layout::plain, layout::hash),
                         layout_name);

TEST_P(deaf_lingering, does_not_happen_to_a_lock_that_was_wanted_before_the_client_listened)
{
    own_.ping();  // a connection for blocking calls; the one for messages comes later
    proxy_.set_door(fault_proxy::door::closed);
    hold held = lock_.acquire();
    expect_no_lingering_of(held);
}

TEST_P(deaf_lingering, does_not_happen_to_a_lock_that_was_wanted_while_the_client_did_not_listen)
{
    (void)start_lingering(lock_);
    hold held = lock_.acquire();
    proxy_.set_door(fault_proxy::door::closed);
    proxy_.cut(fault_proxy::ending::orderly);
    ASSERT_TRUE(eventually([&] { return channels().empty(); }));
    expect_no_lingering_of(held);
}

TEST_P(lingering, ends_after_its_time)
{
    mutex lock{first_, "job", lingering_here(1500ms)};
    (void)start_lingering(lock);
    std::chrono::steady_clock::time_point released;
    {
        const hold held = lock.acquire();
        released = std::chrono::steady_clock::now();
    }
    EXPECT_TRUE(probe_.exists("job"));
    EXPECT_TRUE(until_nothing_is_left());
    EXPECT_GE(std::chrono::steady_clock::now() - released, 1490ms);
    EXPECT_TRUE(first_.holds().empty());
}

TEST_P(lingering, renews_the_lease_meanwhile)
{
    mutex lock{first_, "job", lingering_here(10s, 1200ms)};
    (void)start_lingering(lock);
    EXPECT_TRUE(always(2500ms, [&] { return probe_.exists("job"); }));
    EXPECT_TRUE(lock.try_acquire());
}

TEST_P(lingering, ends_with_the_client)
{
    auto own = std::make_unique<client>(options());
    {
        mutex lock{*own, "job", lingering_here(1min)};
        (void)start_lingering(lock);
    }
    own.reset();
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_P(lingering, does_not_hand_out_a_lock_that_the_server_gave_to_another_holder)
{
    mutex lock{first_, "job", lingering_here(1min, 600ms)};
    mutex other{second_, "job", quick(long_lease, GetParam())};
    (void)start_lingering(lock);
    probe_.must({"DEL", "job"});
    std::optional<hold> theirs = other.try_acquire();
    ASSERT_TRUE(theirs);
    // As for a lock in use, the next renewal detects it.
    const auto before = probe_.calls("evalsha");
    ASSERT_TRUE(eventually([&] { return probe_.calls("evalsha") > before; }));
    EXPECT_TRUE(eventually(soon, [&] { return !lock.try_acquire(); }));
    EXPECT_TRUE(theirs->confirm());
    const auto last = theirs->fence();
    theirs->release();
    EXPECT_GT(lock.acquire().fence(), last);
}

TEST_P(lingering, does_not_hand_out_a_lock_whose_lease_may_have_ended)
{
    mutex lock{first_, "job", lingering_here(1min, 600ms)};
    mutex later{first_, "later", quick(1s)};
    (void)start_lingering(lock);
    const hold held = later.acquire();
    server_.freeze();
    // No lease can be renewed now. This one ends last: two thirds of it are always left.
    (void)events_.first(hold_state::lost, held.id());
    std::error_code told;
    const bool got = lock.try_acquire_for(200ms, told).has_value();
    server_.thaw();
    EXPECT_FALSE(got);
    EXPECT_TRUE(told);
}

TEST_P(lingering, survives_the_loss_of_the_server)
{
    mutex lock{first_, "job", lingering_here(1min, 600ms)};
    const auto last = start_lingering(lock);
    server_.restart();
    probe_ = server_.probe();
    std::optional<hold> held;
    // The lingering lock is handed out at most once, until a renewal or the deadline reveals the
    // loss.
    EXPECT_TRUE(eventually([&] {
        std::error_code told;
        held = lock.try_acquire_for(1s, told);
        return held && probe_.exists("job") && held->confirm(told);
    }));
    ASSERT_TRUE(held);
    EXPECT_GT(held->fence(), last);
}

TEST_P(lingering, passes_on_to_own_threads_first_and_then_to_other_clients)
{
    mutex lock{first_, "job", lingering_here(1min)};
    mutex other{second_, "job", lingering_here(1min)};
    std::uint64_t last = 0;  // guarded by the lock only
    long count = 0;
    {
        std::vector<std::jthread> all;
        for (mutex* each : {&lock, &lock, &other, &other}) {
            all.emplace_back([&, each] {
                for (int i = 0; i < 200; ++i) {
                    const hold held = each->acquire();
                    EXPECT_GT(held.fence(), last);
                    last = held.fence();
                    ++count;
                }
            });
        }
    }
    EXPECT_EQ(count, 800);
}

}  // namespace
}  // namespace pawl::test
