// pawl::shared_mutex against a real server: readers together, writers alone, and the order among them.
#include "integration/child.h"
#include "integration/contended.h"
#include "support/sanitized.h"

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

// Reads until the test lets it go, or kills it.
int read(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    shared_mutex lock{own, "job", quick(std::chrono::milliseconds{std::stol(arguments.at(1))})};
    const hold held = lock.acquire_shared();
    say("reading");
    hear();
    return 0;
}

const child_role reading{"reading", read};

class shared_by_clients : public contended {
protected:
    void SetUp() override
    {
        // So that the loading of scripts is not counted later, and each client listens.
        std::optional<hold> held = mine_.acquire();
        asking second{theirs_};
        ASSERT_TRUE(until_queued(1));
        asking third{others_};
        ASSERT_TRUE(until_queued(2));
        held->release();
        held = second.result();
        asking first{mine_};
        ASSERT_TRUE(until_queued(2));
        held->release();
        third.result()->release();
        first.result()->release();
    }

    // How many holders the server knows.
    [[nodiscard]] std::int64_t holders()
    {
        return probe_.must({"ZCOUNT", "job", "0", "+inf"}).integer;
    }

    [[nodiscard]] std::int64_t script_calls() { return probe_.calls("evalsha"); }

    // Readers of one client that share a lease. All must come within 10 ms, so it may take several tries.
    [[nodiscard]] std::vector<hold> on_one_lease(shared_mutex& lock, std::size_t count)
    {
        while (true) {
            probe_.reset_stats();
            std::vector<hold> all;
            for (std::size_t i = 0; i < count; ++i) all.push_back(lock.acquire_shared());
            if (all.back().id() == all.front().id()) return all;
        }
    }

    shared_mutex mine_{first_, "job", quick(long_lease)};
    shared_mutex theirs_{second_, "job", quick(long_lease)};
    shared_mutex others_{third_, "job", quick(long_lease)};
};

TEST_F(shared_by_clients, lets_readers_in_together_and_a_writer_alone)
{
    {
        const hold first = mine_.acquire_shared();
        const hold second = theirs_.acquire_shared();
        EXPECT_EQ(holders(), 2);
        EXPECT_FALSE(others_.try_acquire());
    }
    {
        const hold writer = others_.acquire();
        EXPECT_EQ(holders(), 1);
        EXPECT_FALSE(mine_.try_acquire_shared());
        EXPECT_FALSE(theirs_.try_acquire());
    }
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(shared_by_clients, lets_waiters_in_by_their_order_and_neighbouring_readers_together)
{
    hold reader = mine_.acquire_shared();
    asking writer{theirs_};
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(others_.try_acquire_shared()) << "the writer came before";
    asking second{others_.shared()};
    ASSERT_TRUE(until_queued(2));
    asking third{theirs_.shared()};
    ASSERT_TRUE(until_queued(3));
    reader.release();
    ASSERT_TRUE(writer.ends_within(soon));
    EXPECT_FALSE(second.ends_within(0ms));
    EXPECT_FALSE(third.ends_within(0ms));
    auto written = writer.result();
    ASSERT_TRUE(written);
    probe_.reset_stats();
    written->release();
    ASSERT_TRUE(second.ends_within(soon));
    ASSERT_TRUE(third.ends_within(soon));
    EXPECT_EQ(script_calls(), 1) << "one release lets both in";
    const auto one = second.result();
    const auto two = third.result();
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->fence(), written->fence());
    EXPECT_EQ(two->fence(), written->fence());
    EXPECT_EQ(holders(), 2);
}

TEST_F(shared_by_clients, lets_readers_overtake_a_waiting_writer_if_they_come_first)
{
    shared_mutex eager{third_, "job", quick(long_lease), reader_policy::readers_first};
    hold reader = mine_.acquire_shared();
    asking writer{theirs_};
    ASSERT_TRUE(until_queued(1));
    auto second = eager.try_acquire_shared();
    ASSERT_TRUE(second);
    reader.release();
    EXPECT_FALSE(writer.ends_within(50ms));
    second->release();
    EXPECT_TRUE(writer.ends_within(soon));
    EXPECT_TRUE(writer.result());
}

TEST_F(shared_by_clients, costs_one_round_trip_for_all_readers_of_a_client)
{
    std::vector<hold> all = on_one_lease(mine_, 10);
    EXPECT_EQ(script_calls(), 1);
    EXPECT_EQ(holders(), 1);
    while (all.size() > 1) all.pop_back();
    EXPECT_EQ(script_calls(), 1) << "the others left without the server";
    all.clear();
    EXPECT_EQ(script_calls(), 2);
    EXPECT_EQ(holders(), 0);
}

TEST_F(shared_by_clients, lets_a_writer_in_although_readers_of_one_client_never_stop)
{
    std::atomic<bool> over = false;
    std::atomic<int> inside = 0;
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) {
        readers.emplace_back([&] {
            while (!over) {
                const hold held = mine_.acquire_shared();
                ++inside;
                std::this_thread::sleep_for(2ms);  // so that one of them is always in
                --inside;
            }
        });
    }
    ASSERT_TRUE(eventually([&] { return inside >= 2; }));
    for (int i = 0; i < 5; ++i) {
        const auto writer = theirs_.try_acquire_for(soon);
        ASSERT_TRUE(writer);
        EXPECT_EQ(inside, 0);
    }
    over = true;
}

TEST_F(shared_by_clients, keeps_writers_apart_from_all_others)
{
    constexpr int rounds = sanitized ? 20 : 100;
    std::atomic<int> readers = 0;
    std::atomic<int> together = 0;
    std::atomic<int> broken = 0;
    std::atomic<int> written = 0;  // changed by writers only, and not in one step
    {
        std::vector<std::jthread> threads;
        for (auto* const lock : {&mine_, &theirs_, &others_}) {
            threads.emplace_back([&, lock] {
                for (int i = 0; i < rounds; ++i) {
                    const std::scoped_lock guard{*lock};
                    if (readers != 0) ++broken;
                    const int seen = written;
                    std::this_thread::yield();
                    written = seen + 1;
                }
            });
            for (int each = 0; each < 2; ++each) {
                threads.emplace_back([&, lock] {
                    int last = 0;
                    std::uint64_t fence = 0;
                    for (int i = 0; i < rounds; ++i) {
                        const hold held = lock->acquire_shared();
                        if (++readers > 1) together = 1;
                        const int seen = written;
                        if (seen < last || held.fence() < fence) ++broken;
                        last = seen;
                        fence = held.fence();
                        std::this_thread::yield();
                        if (written != seen) ++broken;
                        --readers;
                    }
                });
            }
        }
    }
    EXPECT_EQ(written, 3 * rounds);
    EXPECT_EQ(broken, 0);
    EXPECT_EQ(together, 1) << "no two readers were ever in together";
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(shared_by_clients, ends_the_lease_of_a_killed_reader_by_itself)
{
    constexpr auto lease = 1000ms;
    process dead = reading.start({server_.unix_url(), std::to_string(lease.count())});
    (void)dead.line_after("reading");
    hold alive = mine_.acquire_shared();
    dead.signal(SIGKILL);
    asking writer{theirs_};
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(writer.ends_within(lease)) << "a reader is still in";
    EXPECT_TRUE(alive.confirm());
    alive.release();
    EXPECT_TRUE(writer.ends_within(soon));
    EXPECT_TRUE(writer.result());
}

TEST_F(shared_by_clients, is_free_for_a_writer_when_the_lease_of_the_only_reader_has_ended)
{
    constexpr auto lease = 1000ms;
    process dead = reading.start({server_.unix_url(), std::to_string(lease.count())});
    (void)dead.line_after("reading");
    shared_mutex waiting{second_, "job", quick(lease)};
    dead.signal(SIGKILL);
    asking writer{waiting};
    EXPECT_TRUE(writer.ends_within(lease + look_interval(lease) + slack));
    EXPECT_TRUE(writer.result());
}

TEST_F(shared_by_clients, leaves_nothing_of_waiters_that_gave_up)
{
    hold writer = mine_.acquire();
    asking reader{theirs_.shared()};
    ASSERT_TRUE(until_queued(1));
    asking second{others_};
    ASSERT_TRUE(until_queued(2));
    reader.cancel();
    second.cancel();
    EXPECT_FALSE(reader.result());
    EXPECT_EQ(reader.told(), errc::cancelled);
    EXPECT_FALSE(second.result());
    EXPECT_TRUE(until_queued(0));
    writer.release();
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(shared_by_clients, lets_the_readers_in_when_the_writer_between_them_gives_up)
{
    hold reader = mine_.acquire_shared();
    asking writer{theirs_};
    ASSERT_TRUE(until_queued(1));
    asking second{others_.shared()};
    ASSERT_TRUE(until_queued(2));
    writer.cancel();
    EXPECT_TRUE(second.ends_within(soon));
    EXPECT_TRUE(second.result());
}

TEST_F(shared_by_clients, lets_a_holder_change_sides)
{
    hold writer = mine_.acquire();
    asking reader{theirs_.shared()};
    ASSERT_TRUE(until_queued(1));
    asking next{others_};
    ASSERT_TRUE(until_queued(2));
    hold first = mine_.downgrade(std::move(writer));
    ASSERT_TRUE(reader.ends_within(soon)) << "readers at the head of the queue enter too";
    auto second = reader.result();
    ASSERT_TRUE(second);
    EXPECT_EQ(holders(), 2);
    EXPECT_FALSE(mine_.try_upgrade(first)) << "there are two readers";
    second->release();
    auto again = mine_.try_upgrade(first);
    ASSERT_TRUE(again);
    EXPECT_EQ(holders(), 1);
    EXPECT_FALSE(next.ends_within(0ms));
    again->release();
    ASSERT_TRUE(next.ends_within(soon));
    EXPECT_GT(next.result()->fence(), again->fence());
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(shared_by_clients, tells_all_readers_of_a_deleted_lock)
{
    shared_mutex brief{first_, "job", quick(900ms)};
    std::vector<hold> all = on_one_lease(brief, 3);
    probe_.must({"DEL", "job"});
    for (hold& each : all) {
        EXPECT_TRUE(eventually([&] { return each.lost().stop_requested(); }));
        EXPECT_EQ(each.why(), cause::vanished);
    }
    for (hold& each : all) {
        std::error_code told;
        each.release(told);
        EXPECT_EQ(told, errc::lost);
    }
    EXPECT_TRUE(brief.try_acquire());
}

}  // namespace
}  // namespace pawl::test
