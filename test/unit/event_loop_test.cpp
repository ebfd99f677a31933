// The loop and its own thread.
#include "unit/event_loop_fixture.h"

#include "support/eventually.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace pawl::base {
namespace {

using namespace std::chrono_literals;
using test::eventually;

TEST_F(a_loop, watches_an_epoll_instance_like_any_descriptor)
{
    const common::unique_fd event{::eventfd(0, EFD_NONBLOCK)};
    const common::unique_fd inner{::epoll_create1(EPOLL_CLOEXEC)};
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    ASSERT_EQ(::epoll_ctl(inner.get(), EPOLL_CTL_ADD, event.get(), &wanted), 0);
    std::promise<void> heard;
    loop_.post([&] {
        loop_.watch(inner.get(), EPOLLIN, [&] {
            loop_.unwatch(inner.get());
            heard.set_value();
        });
    });
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(event.get(), &one, sizeof one), sizeof one);
    heard.get_future().wait();
}

TEST_F(a_loop, runs_posted_tasks_in_order_for_each_thread)
{
    std::vector<int> seen;
    std::promise<void> done;
    for (int i = 0; i < 100; ++i) {
        loop_.post([&seen, i, this] {
            seen.push_back(i);
            loop_.post([&seen, i] { seen.push_back(100 + i); });
        });
    }
    loop_.post([&, this] { loop_.post([&] { done.set_value(); }); });
    done.get_future().wait();
    ASSERT_EQ(seen.size(), 200);
    std::vector<int> first;
    std::vector<int> second;
    for (const int each : seen) (each < 100 ? first : second).push_back(each);
    EXPECT_TRUE(std::ranges::is_sorted(first));
    EXPECT_TRUE(std::ranges::is_sorted(second));
}

TEST_F(a_loop, runs_every_task_that_many_threads_post)
{
    std::atomic<int> count = 0;
    {
        std::vector<std::jthread> threads;
        threads.reserve(4);
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 1000; ++i) loop_.post([&] { ++count; });
            });
        }
    }
    EXPECT_TRUE(eventually([&] { return count == 4000; }));
}

TEST_F(a_loop, runs_a_timer_when_it_is_due_and_not_before)
{
    std::promise<boot_time> ran;
    const auto due = in(20ms);
    loop_.post([&] { loop_.call_at(due, [&] { ran.set_value(boot_clock::now()); }); });
    EXPECT_GE(ran.get_future().get(), due);
}

}  // namespace
}  // namespace pawl::base
