// Several mutexes, clients and threads with one lock, and passing it on inside the process.
#include "integration/contended.h"

#include <algorithm>
#include <functional>
#include <semaphore>
#include <system_error>
#include <thread>

namespace pawl::test {
namespace {

// The data that the lock protects. Nothing else protects it, so ThreadSanitizer detects errors of
// the lock.
struct guarded {
    long count = 0;
    std::vector<std::uint64_t> fences;

    void visit(const hold& held)
    {
        ++count;
        fences.push_back(held.fence());
    }

    [[nodiscard]] bool fences_grow() const
    {
        return std::ranges::adjacent_find(fences, std::greater_equal{}) == fences.end();
    }
};

class passing_on : public contended {
protected:
    // Runs `threads` threads for each of the locks, which all have the same name.
    void hammer(const std::vector<lockable*>& locks, int threads, int rounds)
    {
        std::vector<std::jthread> all;
        for (lockable* lock : locks) {
            for (int t = 0; t < threads; ++t) {
                all.emplace_back([this, lock, rounds] {
                    for (int i = 0; i < rounds; ++i) {
                        const std::scoped_lock guard{*lock};
                        shared_.visit(*lock->current());
                    }
                });
            }
        }
    }

    guarded shared_;
};

TEST_F(passing_on, inside_the_process_is_correct_and_needs_few_requests)
{
    constexpr int threads = 8;
    constexpr int rounds = 2'000;
    mutex lock{first_, "job"};
    hammer({&lock}, threads, rounds);
    EXPECT_EQ(shared_.count, threads * rounds);
    EXPECT_TRUE(shared_.fences_grow());
    EXPECT_LT(probe_.calls("evalsha"), threads * rounds / 4);
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
    EXPECT_TRUE(first_.holds().empty());
}

TEST_F(passing_on, works_for_re_entries_and_the_hash_layout)
{
    recursive_mutex lock{first_, "job"};
    mutex twin{first_, "job", quick(long_lease, layout::hash)};
    hammer({&lock, &twin}, 4, 200);
    EXPECT_EQ(shared_.count, 1'600);
    EXPECT_TRUE(shared_.fences_grow());
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_F(passing_on, works_between_two_mutexes_of_one_client)
{
    mutex lock{first_, "job"};
    mutex twin{first_, "job"};
    hammer({&lock, &twin}, 4, 300);
    EXPECT_EQ(shared_.count, 2'400);
    EXPECT_TRUE(shared_.fences_grow());
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_F(passing_on, between_clients_of_one_process_goes_through_the_server)
{
    mutex lock{first_, "job"};
    mutex other{second_, "job"};
    mutex third{third_, "job"};
    hammer({&lock, &other, &third}, 2, 150);
    EXPECT_EQ(shared_.count, 900);
    EXPECT_TRUE(shared_.fences_grow());
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_F(passing_on, fair_and_unfair_threads_of_several_clients_exclude_each_other)
{
    mutex lock{first_, "job"};
    fair_mutex fair{first_, "job"};
    fair_mutex other{second_, "job"};
    hammer({&lock, &fair, &other}, 2, 100);
    EXPECT_EQ(shared_.count, 600);
    EXPECT_TRUE(shared_.fences_grow());
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_F(passing_on, ends_when_another_client_waits)
{
    std::atomic<bool> over = false;
    mutex lock{first_, "job"};
    mutex other{second_, "job"};
    std::vector<std::jthread> all;
    for (int t = 0; t < 4; ++t) {
        all.emplace_back([&] {
            while (!over) {
                const hold held = lock.acquire();
                shared_.visit(held);
            }
        });
    }
    ASSERT_TRUE(eventually([&] { return probe_.exists("job"); }));
    for (int i = 0; i < 20; ++i) {
        const auto held = other.try_acquire_for(patience);
        if (!held) ADD_FAILURE() << "no grant in round " << i;
        if (!held) break;
        shared_.visit(*held);
    }
    over = true;
    all.clear();
    EXPECT_TRUE(shared_.fences_grow());
}

// Whether one waiter gets the lock from another while the server does not answer. When
// local_queue::longest_passing is over the server is asked, so a busy machine may need many
// attempts.
bool passed_while_frozen(mutex& lock, redis_server& server, guarded& shared)
{
    constexpr int waiters = 2;
    std::optional<hold> held = lock.acquire();
    std::counting_semaphore<> go{0};
    std::counting_semaphore<> inside{0};
    std::vector<std::jthread> all;
    for (int i = 0; i < waiters; ++i) {
        all.emplace_back([&] {
            std::error_code told;
            const hold mine = lock.acquire(told);
            if (told) return;  // the server was asked, and did not answer
            shared.visit(mine);
            inside.release();
            go.acquire();
        });
    }
    std::this_thread::sleep_for(100ms);  // they wait inside the process, which cannot be observed
    held->release();                     // asks the server for reserved fences
    inside.acquire();
    server.freeze();
    go.release();
    const bool passed = inside.try_acquire_for(300ms);
    server.thaw();
    go.release(waiters);
    all.clear();
    EXPECT_GT(shared.fences.front(), held->fence());
    return passed;
}

TEST_F(passing_on, needs_no_server_while_it_has_reserved_fences)
{
    mutex lock{first_, "job", quick(5min)};
    bool passed = false;
    for (int tries = 0; tries < 50 && !passed; ++tries) {
        shared_.fences.clear();
        passed = passed_while_frozen(lock, server_, shared_);
        EXPECT_TRUE(shared_.fences_grow());
    }
    EXPECT_TRUE(passed);
}

TEST_F(passing_on, of_a_lost_hold_does_not_happen)
{
    mutex lock{first_, "job", quick(900ms)};
    hold held = lock.acquire();
    asking next{lock};
    probe_.must({"SET", "job", "someone", "PX", "60000"});
    EXPECT_EQ(events_.first(hold_state::lost).holder, held.id());
    std::error_code told;
    held.release(told);
    EXPECT_EQ(told, errc::lost);
    EXPECT_FALSE(next.ends_within(500ms));
    EXPECT_EQ(probe_.get("job"), "someone");
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(next.ends_within(look_interval(900ms) + slack));
    const auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), held.fence());
}

}  // namespace
}  // namespace pawl::test
