// The lease: with and without renewals, extended, and checked.
#include "integration/fixture.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class lease : public with_server, public testing::WithParamInterface<layout> {
protected:
    lock_options fixed(std::chrono::milliseconds length)
    {
        lock_options made = quick(length, GetParam());
        made.renew = false;
        return made;
    }

    client client_{options()};
};

TEST_P(lease, is_renewed_as_long_as_the_lock_is_held)
{
    mutex lock{client_, "job", quick(2400ms, GetParam())};
    hold held = lock.acquire();
    probe_.reset_stats();
    // Not a multiple of 800 ms, because a renewal that is under way then would be counted below.
    EXPECT_TRUE(always(3600ms, [&] {
        return held.state() == hold_state::held && held.valid_for() > 0ns && probe_.exists("job");
    }));
    // Every third of a lease: about 4 times.
    const std::int64_t renewals = probe_.calls("pexpire");
    EXPECT_GE(renewals, 3);
    EXPECT_LE(renewals, 9);
    held.release();
    probe_.reset_stats();
    EXPECT_TRUE(always(900ms, [&] { return probe_.calls("evalsha") == 0; }));
}

TEST_P(lease, on_the_server_is_never_shorter_than_the_holder_thinks)
{
    mutex lock{client_, "job", quick(900ms, GetParam())};
    const hold held = lock.acquire();
    EXPECT_TRUE(always(1s, [&] {
        const auto local = held.valid_for();
        // The server is asked second, so the time in between is missing from its value. The
        // comparison allows for that, and for its rounding.
        std::chrono::milliseconds there{};
        const auto meanwhile = time_of([&] { there = probe_.ttl("job"); });
        return there + meanwhile + 20ms >= local;
    }));
}

TEST_P(lease, that_is_not_renewed_ends_and_the_holder_is_told)
{
    mutex lock{client_, "job", fixed(400ms)};
    const hold held = lock.acquire();
    probe_.reset_stats();
    const event lost = events_.first(hold_state::lost, 400ms + slack);
    EXPECT_EQ(lost.from, hold_state::held);
    EXPECT_EQ(lost.why, cause::expired);
    EXPECT_TRUE(held.lost().stop_requested());
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
    EXPECT_EQ(probe_.calls("evalsha"), 0);
    EXPECT_TRUE(eventually([&] { return !probe_.exists("job"); }));
}

TEST_P(lease, that_is_not_renewed_can_be_extended)
{
    mutex lock{client_, "job", fixed(1s)};
    hold held = lock.acquire();
    held.extend(10s);
    EXPECT_GT(held.valid_for(), 8s);
    EXPECT_LE(held.valid_for(), 10s);
    EXPECT_GT(probe_.ttl("job"), 8s);
    EXPECT_TRUE(always(1500ms, [&] { return !held.lost().stop_requested(); }));
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_P(lease, is_never_shortened_by_an_extension)
{
    mutex lock{client_, "job", quick(10s, GetParam())};
    hold held = lock.acquire();
    held.extend(1s);
    EXPECT_GT(held.valid_for(), 8s);
    EXPECT_GT(probe_.ttl("job"), 8s);
}

TEST_P(lease, once_extended_is_not_shortened_by_a_renewal)
{
    mutex lock{client_, "job", quick(900ms, GetParam())};
    hold held = lock.acquire();
    held.extend(20s);
    EXPECT_TRUE(always(700ms, [&] { return held.valid_for() > 15s && probe_.ttl("job") > 15s; }));
}

TEST_P(lease, is_ensured_without_a_request_when_it_lasts_long_enough)
{
    mutex lock{client_, "job", quick(30s, GetParam())};
    hold held = lock.acquire();
    probe_.reset_stats();
    held.ensure(10s);
    EXPECT_EQ(probe_.calls("evalsha"), 0);
    held.ensure(60s);
    EXPECT_EQ(probe_.calls("evalsha"), 1);
    EXPECT_GE(held.valid_for(), 58s);
    EXPECT_GT(probe_.ttl("job"), 58s);
}

TEST_P(lease, that_cannot_be_extended_stays_valid)
{
    client_options hasty = options();
    hasty.command_limit = 1s;
    client own{hasty};
    mutex lock{own, "job", fixed(5s)};
    hold held = lock.acquire();
    server_.freeze();
    std::error_code told;
    held.extend(10s, told);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_FALSE(held.lost().stop_requested());
    EXPECT_GT(held.valid_for(), 3s);
    EXPECT_FALSE(held.confirm(told));
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_FALSE(held.lost().stop_requested());
    server_.thaw();
    EXPECT_TRUE(held.confirm());
}

TEST_P(lease, is_counted_from_before_the_request_minus_the_drift)
{
    client_options drifting = options();
    drifting.clock_drift = 0.2;
    client own{drifting};
    mutex lock{own, "job", quick(10s, GetParam())};
    const hold held = lock.acquire();
    EXPECT_LE(held.valid_for(), 8s);
    EXPECT_GT(held.valid_for(), 7s);
}

TEST_P(lease, is_kept_up_for_every_lock_while_others_come_and_go)
{
    // Each thread holds its lock for longer than a lease, releases it and starts again.
    std::atomic<int> losses = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            mutex lock{client_, "lock:" + std::to_string(t), quick(900ms, GetParam())};
            for (int i = 0; i < 3; ++i) {
                hold held = lock.acquire();
                const auto span = std::chrono::milliseconds{(t * 97 + i * 331) % 1400};
                if (!always(span, [&] { return !held.lost().stop_requested(); })) ++losses;
                std::error_code told;
                held.release(told);
                if (told) ++losses;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(losses, 0);
    EXPECT_TRUE(client_.holds().empty());
    EXPECT_TRUE(probe_.keys("lock:*").empty());
}

TEST_P(lease, of_the_shortest_length_works)
{
    mutex lock{client_, "job", quick(30ms, GetParam())};
    int kept = 0;
    const auto one_round = [&] {
        std::error_code told;
        const auto taken = time_of([&] {
            hold held = lock.acquire();
            held.release(told);
        });
        if (!told) return ++kept == 20;
        EXPECT_EQ(told, errc::lost);
        EXPECT_GE(taken, 20ms) << "lost before its lease can have ended";
        return false;
    };
    EXPECT_TRUE(eventually(one_round)) << kept << " holds lasted until they were released";
    // The server agrees, if the machine is fast enough to ask it in time.
    EXPECT_TRUE(eventually([&] {
        const hold held = lock.acquire();
        return probe_.exists("job") && held.state() == hold_state::held;
    }));
}

INSTANTIATE_TEST_SUITE_P(in, lease, testing::Values(layout::plain, layout::hash),
                         [](const auto& the) {
                             return the.param == layout::plain ? "plain" : "hash";
                         });

}  // namespace
}  // namespace pawl::test
