// The server has executed a request, and its reply never arrives.
#include "integration/fixture.h"
#include "support/fault_proxy.h"

#include <mutex>
#include <optional>

namespace pawl::test {
namespace {

using afterwards = fault_proxy::afterwards;

class lost_replies : public with_server {
protected:
    // A client through the proxy. Scripts are loaded and connections are made, so that the next
    // request on the lock is the one under test.
    std::unique_ptr<client> proxied_client(std::chrono::milliseconds command_limit = 3s)
    {
        client_options through = options(proxy_.url());
        through.command_limit = command_limit;
        auto made = std::make_unique<client>(through);
        for (const layout where : {layout::plain, layout::hash}) {
            recursive_mutex warm{*made, "warm-up", quick(10s, where)};
            const std::scoped_lock once{warm};
            const std::scoped_lock again{warm};
            warm.current()->extend(20s);
        }
        return made;
    }

    void swallow_next(const std::string& key, afterwards then = afterwards::close)
    {
        proxy_.swallow_reply_to(touches(key), 1, then);
    }

    [[nodiscard]] bool swallowed_one() const
    {
        return proxy_.wait_for([](const auto& counts) { return counts.swallowed == 1; }, patience);
    }

    fault_proxy proxy_{server_.port()};
};

class lost_replies_in : public lost_replies, public testing::WithParamInterface<layout> {};

TEST_P(lost_replies_in, to_acquire_leave_no_second_hold)
{
    const auto own = proxied_client();
    mutex lock{*own, "job", quick(10s, GetParam())};
    swallow_next("job");
    hold held;
    // It does not wait for the end of its own lost lease.
    EXPECT_LT(time_of([&] { held = lock.acquire(); }), 2s);
    EXPECT_EQ(proxy_.counts().swallowed, 1);
    if (GetParam() == layout::hash) {
        EXPECT_EQ(hash_count("job", held.id()), 1);
    } else {
        EXPECT_EQ(probe_.get("job"), held.id());
    }
    EXPECT_EQ(own->holds().size(), 1);
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lost_replies_in, to_a_try_that_may_not_wait_still_give_the_lock)
{
    const auto own = proxied_client();
    mutex lock{*own, "job", quick(10s, GetParam())};
    swallow_next("job");
    const std::optional<hold> held = lock.try_acquire();
    ASSERT_TRUE(held);
    EXPECT_EQ(proxy_.counts().swallowed, 1);
}

TEST_P(lost_replies_in, to_release_are_no_error_to_the_owner)
{
    const auto own = proxied_client();
    mutex lock{*own, "job", quick(10s, GetParam())};
    hold held = lock.acquire();
    swallow_next("job");
    EXPECT_EQ(outcome_of([&] { held.release(); }).code, std::error_code{});
    EXPECT_EQ(proxy_.counts().swallowed, 1);
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lost_replies_in, to_release_do_not_free_the_next_holder)
{
    client direct{options()};
    mutex others{direct, "job", quick(10s, GetParam())};
    const auto own = proxied_client();
    mutex lock{*own, "job", quick(10s, GetParam())};
    hold held = lock.acquire();
    // When the first release has run, another client takes the lock. Then the release is repeated.
    std::optional<hold> next;
    proxy_.swallow_reply_to(touches("job"), 1, afterwards::close);
    proxy_.delay(40ms);
    std::jthread taking{[&] { next = others.acquire(); }};
    std::error_code told;
    held.release(told);
    taking.join();
    EXPECT_FALSE(told) << told.message();
    ASSERT_TRUE(next);
    EXPECT_TRUE(always(300ms, [&] { return next->confirm(); }));
}

TEST_P(lost_replies_in, to_renew_do_not_lose_the_lock)
{
    const auto own = proxied_client();
    mutex lock{*own, "job", quick(1500ms, GetParam())};
    hold held = lock.acquire();
    swallow_next("job");
    ASSERT_TRUE(swallowed_one());
    EXPECT_TRUE(always(2400ms, [&] { return !held.lost().stop_requested(); }));
    EXPECT_TRUE(held.confirm());
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lost_replies_in, to_renew_on_a_connection_that_stays_silent_do_not_lose_the_lock)
{
    const auto own = proxied_client();
    mutex lock{*own, "job", quick(1500ms, GetParam())};
    hold held = lock.acquire();
    swallow_next("job", afterwards::silence);
    EXPECT_EQ(events_.first(hold_state::jeopardy).why, cause::no_reply);
    EXPECT_EQ(events_.first(hold_state::held).from, hold_state::jeopardy);
    EXPECT_TRUE(always(1600ms, [&] { return !held.lost().stop_requested(); }));
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lost_replies_in, to_a_re_entry_count_it_once)
{
    const auto own = proxied_client();
    recursive_mutex lock{*own, "job", quick(10s, GetParam())};
    lock.lock();
    const std::string id = lock.current()->id();
    swallow_next("job");
    lock.lock();
    if (GetParam() == layout::hash) {
        EXPECT_EQ(proxy_.counts().swallowed, 1);
        EXPECT_EQ(hash_count("job", id), 2);
    }
    lock.unlock();
    EXPECT_TRUE(probe_.exists("job"));
    lock.unlock();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lost_replies_in, to_an_inner_unlock_count_it_once)
{
    const auto own = proxied_client();
    recursive_mutex lock{*own, "job", quick(10s, GetParam())};
    for (int i = 0; i < 3; ++i) lock.lock();
    const std::string id = lock.current()->id();
    swallow_next("job");
    std::error_code told;
    lock.unlock(told);
    EXPECT_FALSE(told) << told.message();
    EXPECT_TRUE(probe_.exists("job"));
    if (GetParam() == layout::hash) {
        EXPECT_EQ(hash_count("job", id), 2);
    }
    lock.unlock();
    EXPECT_TRUE(probe_.exists("job"));
    lock.unlock();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lost_replies_in, to_the_last_unlock_free_the_lock_without_an_error)
{
    const auto own = proxied_client();
    recursive_mutex lock{*own, "job", quick(10s, GetParam())};
    lock.lock();
    lock.lock();
    lock.unlock();
    swallow_next("job");
    std::error_code told;
    lock.unlock(told);
    EXPECT_FALSE(told) << told.message();
    EXPECT_EQ(proxy_.counts().swallowed, 1);
    EXPECT_FALSE(probe_.exists("job"));
}

INSTANTIATE_TEST_SUITE_P(in, lost_replies_in, testing::Values(layout::plain, layout::hash),
                         [](const auto& the) {
                             return the.param == layout::plain ? "plain" : "hash";
                         });

TEST_F(lost_replies, to_acquire_for_good_leave_nothing_behind)
{
    const auto own = proxied_client(1s);
    mutex lock{*own, "job", quick(30s)};
    proxy_.drop_replies();
    std::error_code told;
    (void)lock.try_acquire(told);
    EXPECT_EQ(told, errc::unreachable);
    // The lock was granted, but the client does not know it. It may have been given back already.
    EXPECT_TRUE(probe_.exists("pawl:fence:{job}"));
    proxy_.pass();
    EXPECT_TRUE(eventually(10s, [&] { return !probe_.exists("job"); }));
    EXPECT_TRUE(own->holds().empty());
}

TEST_F(lost_replies, to_release_for_good_are_reported_as_unreachable_and_the_lock_is_free)
{
    const auto own = proxied_client(1s);
    mutex lock{*own, "job", quick(30s)};
    hold held = lock.acquire();
    proxy_.drop_replies();
    std::error_code told;
    EXPECT_LT(time_of([&] { held.release(told); }), 1s + slack);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_FALSE(static_cast<bool>(held));
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(lost_replies, a_release_that_never_arrived_is_tried_again_in_the_background)
{
    const auto own = proxied_client(1s);
    mutex lock{*own, "job", quick(30s)};
    hold held = lock.acquire();
    proxy_.drop_requests();
    std::error_code told;
    held.release(told);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_TRUE(probe_.exists("job"));
    proxy_.pass();
    EXPECT_TRUE(eventually(10s, [&] { return !probe_.exists("job"); }));
}

TEST_F(lost_replies, a_release_that_arrives_late_does_not_free_the_next_holder)
{
    client direct{options()};
    mutex others{direct, "job", quick(10s)};
    const auto own = proxied_client(500ms);
    lock_options fixed = quick(2s);
    fixed.renew = false;
    mutex lock{*own, "job", fixed};
    hold held = lock.acquire();
    proxy_.delay(2600ms);
    std::error_code told;
    held.release(told);
    EXPECT_EQ(told, errc::unreachable);
    hold next = others.acquire();
    EXPECT_TRUE(always(3200ms, [&] { return probe_.get("job") == next.id(); }));
    EXPECT_FALSE(next.lost().stop_requested());
}

TEST_F(lost_replies, an_acquire_that_arrives_late_takes_nothing)
{
    const auto own = proxied_client(500ms);
    mutex lock{*own, "job", quick(30s)};
    probe_.reset_stats();
    proxy_.delay(1s);
    std::error_code told;
    (void)lock.try_acquire(told);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_TRUE(eventually([&] { return probe_.calls("evalsha") > 0; }));
    EXPECT_FALSE(probe_.exists("pawl:fence:{job}"));
}

TEST_F(lost_replies, an_acquire_that_arrives_late_before_the_servers_time_is_known_is_given_back)
{
    static_cast<void>(proxied_client());  // the server knows the scripts
    client_options through = options(proxy_.url());
    through.command_limit = 500ms;
    client own{through};
    own.ping();
    mutex lock{own, "job", quick(30s)};
    proxy_.delay(1s);
    std::error_code told;
    (void)lock.try_acquire(told);
    EXPECT_EQ(told, errc::unreachable);
    // The lock may appear and disappear between two checks. The fence stays, and shows that it was
    // granted.
    EXPECT_TRUE(eventually([&] { return probe_.exists("pawl:fence:{job}"); }));
    proxy_.pass();
    EXPECT_TRUE(eventually(10s, [&] { return !probe_.exists("job"); }));
}

TEST_F(lost_replies, that_are_only_slow_change_nothing)
{
    const auto own = proxied_client();
    proxy_.delay(60ms);
    mutex lock{*own, "job", quick(1s)};
    hold held = lock.acquire();
    EXPECT_LE(held.valid_for(), 1s - 120ms);  // counted from before the request was sent
    EXPECT_TRUE(always(1500ms, [&] { return !held.lost().stop_requested(); }));
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(lost_replies, a_grant_that_arrives_after_its_own_lease_is_not_a_hold)
{
    const auto own = proxied_client(1s);
    lock_options brief = quick(100ms);
    mutex lock{*own, "job", brief};
    proxy_.delay(80ms);
    std::error_code told;
    const std::optional<hold> held = lock.try_acquire(told);
    EXPECT_FALSE(held);
    EXPECT_EQ(told, errc::unreachable);
}

}  // namespace
}  // namespace pawl::test
