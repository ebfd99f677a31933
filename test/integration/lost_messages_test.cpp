// Messages that never arrive: every third message about a grant is lost.
#include "integration/contended.h"
#include "support/fault_proxy.h"

#include <memory>
#include <mutex>
#include <thread>

namespace pawl::test {
namespace {

using steady = std::chrono::steady_clock;

constexpr auto lease = 1500ms;
constexpr int locks = 6;
constexpr int clients = 4;
constexpr int rounds = 10;  // of each client with each lock: 240 grants

// A grant whose message was lost is found by a look. The rest allows for a busy machine. It is less
// than the lease, after which any client could take the lock.
constexpr auto longest_wait = look_interval(lease) + slack;

// What happened to one lock.
struct record {
    std::mutex guard;
    steady::time_point freed = steady::now();
    std::uint64_t fence = 0;
    int grants = 0;
    steady::duration longest{};  // from when it was free and wanted until it was taken
};

class lost_messages : public contended_of_kind {
protected:
    void take_turns(client& own, int which)
    {
        any_lock lock{GetParam(), own, "job " + std::to_string(which), quick(lease)};
        record& notes = records_[static_cast<std::size_t>(which)];
        for (int i = 0; i < rounds; ++i) {
            const auto asked = steady::now();
            std::optional<hold> held = lock->try_acquire_for(2 * patience);
            const auto got = steady::now();
            ASSERT_TRUE(held) << "forgotten";
            const std::lock_guard lock_of_notes{notes.guard};
            EXPECT_GT(held->fence(), notes.fence);
            notes.fence = held->fence();
            notes.longest = std::max(notes.longest, got - std::max(asked, notes.freed));
            ++notes.grants;
            held.reset();
            notes.freed = steady::now();
        }
    }

    fault_proxy proxy_{server_.port()};
    std::array<record, locks> records_;
};

INSTANTIATE_TEST_SUITE_P(every, lost_messages,
                         testing::ValuesIn({lock_kind::plain, lock_kind::fair,
                                            lock_kind::fair_hash}),
                         kind_name);

TEST_P(lost_messages, delay_a_grant_but_cost_no_waiter_its_turn)
{
    std::vector<std::unique_ptr<client>> all_clients;
    for (int c = 0; c < clients; ++c) {
        all_clients.push_back(std::make_unique<client>(options(proxy_.url())));
    }
    proxy_.drop_pushes(0.3);
    {
        std::vector<std::jthread> all;
        for (const auto& own : all_clients) {
            for (int which = 0; which < locks; ++which) {
                all.emplace_back([this, &own, which] { take_turns(*own, which); });
            }
        }
    }
    for (const record& notes : records_) {
        EXPECT_EQ(notes.grants, clients * rounds);
        EXPECT_LT(std::chrono::duration_cast<std::chrono::milliseconds>(notes.longest),
                  longest_wait);
    }
    EXPECT_GT(proxy_.counts().pushes_dropped, 0U);
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_P(lost_messages, delay_every_grant_by_one_interval_if_all_are_lost)
{
    client own{options(proxy_.url())};
    any_lock theirs{GetParam(), own, "job", quick(lease)};
    any_lock mine = make(first_, lease);
    proxy_.drop_pushes(1);
    for (int i = 0; i < 3; ++i) {
        hold held = mine->acquire();
        asking next{*theirs};
        ASSERT_TRUE(until_queued(1));
        held.release();
        ASSERT_TRUE(next.ends_within(longest_wait));
        EXPECT_TRUE(next.result());
    }
}

}  // namespace
}  // namespace pawl::test
