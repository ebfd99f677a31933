#include "observe/dispatcher.h"

#include "support/self_counts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

namespace pawl::observe {
namespace {

using namespace std::chrono_literals;

TEST(dispatcher, runs_posted_tasks_in_order_and_waits_for_them)
{
    std::vector<int> seen;
    dispatcher_thread d;
    for (int i = 0; i < 100; ++i) {
        d.post([&seen, i] { seen.push_back(i); });
    }
    d.close(10s);
    ASSERT_EQ(seen.size(), 100U);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(dispatcher, that_was_prepared_has_its_thread_before_a_task_is_posted)
{
    const auto before = test::thread_count();
    dispatcher_thread d;
    EXPECT_EQ(test::thread_count(), before);
    d.prepare();
    d.prepare();
    EXPECT_EQ(test::thread_count(), before + 1);
    std::promise<void> ran;
    d.post([&] { ran.set_value(); });
    EXPECT_EQ(ran.get_future().wait_for(10s), std::future_status::ready);
    EXPECT_EQ(test::thread_count(), before + 1);
}

TEST(dispatcher, that_was_closed_starts_no_thread)
{
    const auto before = test::thread_count();
    dispatcher_thread d;
    d.close(1s);
    d.prepare();
    EXPECT_EQ(test::thread_count(), before);
}

TEST(dispatcher, closing_does_not_wait_longer_than_allowed)
{
    auto hung = std::make_shared<std::promise<void>>();
    std::promise<void> started;
    dispatcher_thread d;
    d.post([&started, wait = hung->get_future().share()] {
        started.set_value();
        wait.wait();
    });
    started.get_future().wait();
    const auto before = std::chrono::steady_clock::now();
    d.close(20ms);
    EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
    hung->set_value();
}

TEST(dispatcher, a_task_may_destroy_it)
{
    auto d = std::make_unique<dispatcher_thread>();
    std::promise<void> destroyed;
    auto* const raw = d.get();
    raw->post([&destroyed, d = std::make_shared<std::unique_ptr<dispatcher_thread>>(std::move(d))] {
        d->reset();
        destroyed.set_value();
    });
    EXPECT_EQ(destroyed.get_future().wait_for(10s), std::future_status::ready);
}

TEST(dispatcher, a_task_that_is_posted_after_closing_is_dropped)
{
    std::atomic<bool> ran{false};
    dispatcher_thread d;
    d.close(1s);
    d.post([&ran] { ran = true; });
    EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace pawl::observe
