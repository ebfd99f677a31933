// The loop and its guests.
#include "unit/event_loop_fixture.h"

#include "support/eventually.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace pawl::base {
namespace {

using namespace std::chrono_literals;
using test::eventually;

// A thread that calls help() until it is woken.
class helper {
public:
    helper(event_loop& loop, platform& platform, boot_time until = boot_time::max())
        : thread_{[this, &loop, &platform, until] {
              timed_out_ = loop.help(platform, until, woken_.get_token());
              ended_ = true;
          }},
          id_{thread_.get_id()}
    {
    }

    void wake() { woken_.request_stop(); }
    void join() { thread_.join(); }
    [[nodiscard]] bool timed_out() const { return timed_out_; }
    [[nodiscard]] bool ended() const { return ended_; }
    [[nodiscard]] std::thread::id id() const { return id_; }
    [[nodiscard]] pthread_t handle() { return thread_.native_handle(); }

private:
    std::stop_source woken_;
    std::atomic<bool> timed_out_ = false;
    std::atomic<bool> ended_ = false;
    std::jthread thread_;
    std::thread::id id_;
};

// Waits until this thread is the guest. Before that, the loop's own thread reads.
void until_there(event_loop& loop, const helper& who)
{
    std::atomic<std::thread::id> reader;
    const source probe{loop, [&] { reader = std::this_thread::get_id(); }};
    EXPECT_TRUE(eventually([&] {
        probe.signal();
        return reader.load() == who.id();
    }));
}

// Counts the threads that sleep.
class counting_platform final : public platform {
public:
    [[nodiscard]] boot_time now() const noexcept override { return real_.now(); }
    [[nodiscard]] std::chrono::system_clock::time_point wall_time() const noexcept override
    {
        return real_.wall_time();
    }
    [[nodiscard]] double random_unit() override { return real_.random_unit(); }
    [[nodiscard]] std::string random_id() override { return real_.random_id(); }
    [[nodiscard]] std::uint64_t thread_mark() const noexcept override
    {
        return real_.thread_mark();
    }
    [[nodiscard]] bool pause(boot_time until, const interrupt* stop) override
    {
        return real_.pause(until, stop);
    }
    [[nodiscard]] bool sleep(boot_time until, const std::stop_token& woken) override
    {
        ++sleeping_;
        const bool timed_out = real_.sleep(until, woken);
        --sleeping_;
        return timed_out;
    }

    [[nodiscard]] int sleeping() const { return sleeping_; }

private:
    system_platform real_;
    std::atomic<int> sleeping_ = 0;
};

TEST_F(a_loop, without_descriptors_needs_no_help)
{
    helper one{loop_, platform_, in(10ms)};
    one.join();
    EXPECT_TRUE(one.timed_out());
}

TEST_F(a_loop, lets_a_guest_read_its_descriptors)
{
    const source input{loop_, [] {}};
    helper one{loop_, platform_};
    until_there(loop_, one);
    one.wake();
}

TEST_F(a_loop, reads_its_descriptors_in_its_own_thread_when_the_guest_has_left)
{
    std::atomic<int> count = 0;
    std::atomic<std::thread::id> reader;
    const source input{loop_, [&] {
                           reader = std::this_thread::get_id();
                           ++count;
                       }};
    {
        helper one{loop_, platform_};
        input.signal();
        EXPECT_TRUE(eventually([&] { return count == 1; }));
        one.wake();
    }
    input.signal();
    EXPECT_TRUE(eventually([&] { return count == 2; }));
    EXPECT_EQ(reader.load(), own_thread_);
}

TEST_F(a_loop, misses_nothing_while_guests_come_and_go)
{
    std::atomic<int> count = 0;
    const source input{loop_, [&] { ++count; }};
    std::atomic<bool> over = false;
    std::jthread guests{[&] {
        while (!over) {
            std::stop_source woken;
            static_cast<void>(loop_.help(platform_, in(1ms), woken.get_token()));
        }
    }};
    for (int i = 1; i <= 200; ++i) {
        input.signal();
        EXPECT_TRUE(eventually([&] { return count == i; }));
    }
    over = true;
}

TEST_F(a_loop, wakes_a_guest_that_another_thread_wakes)
{
    const source input{loop_, [] {}};
    helper one{loop_, platform_};
    until_there(loop_, one);
    one.wake();
    one.join();
    EXPECT_FALSE(one.timed_out());
}

TEST_F(a_loop, wakes_a_guest_that_a_task_wakes_in_either_thread)
{
    for (int i = 0; i < 200; ++i) {
        std::optional<helper> one;
        const source input{loop_, [&] { one->wake(); }};
        one.emplace(loop_, platform_);
        input.signal();
        one->join();
        EXPECT_FALSE(one->timed_out());
        input.on_loop([] {});
    }
}

TEST_F(a_loop, lets_a_guest_go_when_its_time_is_over)
{
    const source input{loop_, [] {}};
    const auto until = in(20ms);
    helper one{loop_, platform_, until};
    one.join();
    EXPECT_TRUE(one.timed_out());
    EXPECT_GE(boot_clock::now(), until);
}

TEST_F(a_loop, has_one_guest_and_the_others_sleep)
{
    std::atomic<int> count = 0;
    std::atomic<std::thread::id> reader;
    const source input{loop_, [&] {
                           reader = std::this_thread::get_id();
                           ++count;
                       }};
    counting_platform asleep;
    helper one{loop_, asleep};
    until_there(loop_, one);
    helper two{loop_, asleep};
    helper three{loop_, asleep};
    EXPECT_TRUE(eventually([&] { return asleep.sleeping() == 2; }));
    for (int i = 1; i <= 20; ++i) {
        input.signal();
        EXPECT_TRUE(eventually([&] { return count == i; }));
        // It is the loop's own thread if the guest has not come back yet.
        EXPECT_TRUE(reader.load() == one.id() || reader.load() == own_thread_);
    }
    one.wake();
    one.join();
    input.signal();
    EXPECT_TRUE(eventually([&] { return count == 21; }));
    EXPECT_EQ(reader.load(), own_thread_);
    EXPECT_EQ(asleep.sleeping(), 2);
    two.wake();
    three.wake();
}

TEST_F(a_loop, runs_one_task_at_a_time_with_any_guest)
{
    int inside = 0;  // not atomic: only one task uses it at a time
    int most = 0;
    int count = 0;
    const auto task = [&] {
        most = std::max(most, ++inside);
        ++count;
        std::this_thread::yield();
        --inside;
    };
    const source input{loop_, task};
    {
        std::atomic<bool> over = false;
        std::vector<std::jthread> threads;
        threads.reserve(2);
        for (int t = 0; t < 2; ++t) {
            threads.emplace_back([&] {
                while (!over) {
                    std::stop_source woken;
                    static_cast<void>(loop_.help(platform_, in(1ms), woken.get_token()));
                }
            });
        }
        for (int i = 0; i < 300; ++i) {
            loop_.post(task);
            loop_.post([&, this] { loop_.call_at(boot_clock::now(), task); });
            input.signal();
            if (i % 16 == 0) std::this_thread::sleep_for(100us);
        }
        EXPECT_TRUE(eventually([&] {
            bool all = false;
            input.on_loop([&] { all = count >= 601; });
            return all;
        }));
        over = true;
    }
    input.on_loop([&] { EXPECT_EQ(most, 1); });
}

TEST_F(a_loop, runs_its_timers_while_there_is_a_guest)
{
    const source input{loop_, [] {}};
    helper one{loop_, platform_};
    until_there(loop_, one);
    std::promise<std::thread::id> ran;
    const auto due = in(10ms);
    // Set by a guest, if there is one.
    source setter{loop_,
                  [&] { loop_.call_at(due, [&] { ran.set_value(std::this_thread::get_id()); }); }};
    setter.signal();
    EXPECT_EQ(ran.get_future().get(), own_thread_);
    EXPECT_LT(boot_clock::now(), due + test::patience);
    one.wake();
}

TEST_F(a_loop, rings_its_alarm_while_there_is_a_guest)
{
    std::promise<std::thread::id> rang;
    event_loop other{platform_};
    other.on_alarm([&] { rang.set_value(std::this_thread::get_id()); });
    other.start();
    const source input{other, [] {}};
    helper one{other, platform_};
    until_there(other, one);
    other.set_alarm(in(5ms));
    EXPECT_NE(rang.get_future().get(), one.id());
    one.wake();
}

TEST_F(a_loop, runs_tasks_only_in_its_own_thread_on_request)
{
    std::atomic<int> count = 0;
    std::atomic<std::thread::id> reader;
    const source input{loop_, [&] {
                           reader = std::this_thread::get_id();
                           ++count;
                       }};
    helper one{loop_, platform_};
    until_there(loop_, one);
    loop_.own_thread_only(true);
    for (int i = 1; i <= 20; ++i) {
        input.signal();
        EXPECT_TRUE(eventually([&] { return count == i; }));
        EXPECT_EQ(reader.load(), own_thread_);
    }
    EXPECT_FALSE(one.ended());
    loop_.own_thread_only(false);
    one.wake();
    one.join();
    EXPECT_FALSE(one.timed_out());
}

TEST_F(a_loop, stops_while_there_is_a_guest_that_goes_on_waiting)
{
    source input{loop_, [] {}};
    helper one{loop_, platform_};
    until_there(loop_, one);
    loop_.stop();
    input.let_go();
    EXPECT_FALSE(one.ended());
    one.wake();
    one.join();
    EXPECT_FALSE(one.timed_out());
}

// ── run_or_post() ───────────────────────────────────────────────────────────────────────────────

TEST_F(a_loop, lets_a_thread_run_its_own_task_and_what_that_posts)
{
    std::vector<std::thread::id> ran;
    // The own thread may still be at the end of its turn. Then it runs the task.
    EXPECT_TRUE(eventually([&] {
        std::promise<void> done;
        ran.clear();
        loop_.run_or_post([&] {
            ran.push_back(std::this_thread::get_id());
            loop_.post([&] {
                ran.push_back(std::this_thread::get_id());
                done.set_value();
            });
        });
        done.get_future().wait();
        return ran.front() == std::this_thread::get_id();
    }));
    EXPECT_EQ(ran.back(), std::this_thread::get_id());
}

TEST_F(a_loop, runs_the_task_of_a_thread_while_another_one_is_the_guest)
{
    const source input{loop_, [] {}};
    helper one{loop_, platform_};
    until_there(loop_, one);
    EXPECT_TRUE(eventually([&] {
        std::promise<std::thread::id> ran;
        loop_.run_or_post([&] { ran.set_value(std::this_thread::get_id()); });
        return ran.get_future().get() == std::this_thread::get_id();
    }));
    one.wake();
}

TEST_F(a_loop, runs_the_tasks_that_were_posted_before_first)
{
    std::vector<int> order;
    const source input{loop_, [] {}};
    for (int i = 0; i < 200; ++i) {
        std::promise<void> done;
        order.clear();
        loop_.post([&] { order.push_back(1); });
        loop_.run_or_post([&] {
            order.push_back(2);
            done.set_value();
        });
        done.get_future().wait();
        input.on_loop([&] { EXPECT_EQ(order, (std::vector{1, 2})); });
    }
}

TEST_F(a_loop, runs_the_task_of_a_thread_after_the_task_that_runs_now)
{
    std::promise<void> begun;
    std::promise<void> go_on;
    std::atomic<bool> first_ended = false;
    loop_.post([&] {
        begun.set_value();
        go_on.get_future().wait();
        first_ended = true;
    });
    begun.get_future().wait();
    std::promise<bool> second;
    // Does not wait.
    loop_.run_or_post([&] { second.set_value(first_ended); });
    go_on.set_value();
    EXPECT_TRUE(second.get_future().get());
}

TEST_F(a_loop, runs_the_timer_of_a_task_that_another_thread_ran)
{
    std::promise<std::thread::id> ran;
    const auto due = in(10ms);
    loop_.run_or_post(
        [&] { loop_.call_at(due, [&] { ran.set_value(std::this_thread::get_id()); }); });
    EXPECT_EQ(ran.get_future().get(), own_thread_);
    EXPECT_GE(boot_clock::now(), due);
}

TEST_F(a_loop, runs_the_task_of_another_thread_itself_on_request)
{
    loop_.own_thread_only(true);
    std::promise<std::thread::id> ran;
    loop_.run_or_post([&] { ran.set_value(std::this_thread::get_id()); });
    EXPECT_EQ(ran.get_future().get(), own_thread_);
    loop_.own_thread_only(false);
}

TEST_F(a_loop, runs_no_task_of_another_thread_after_it_was_stopped)
{
    loop_.stop();
    bool ran = false;
    loop_.run_or_post([&] { ran = true; });
    EXPECT_FALSE(ran);
}

TEST_F(a_loop, does_not_close_its_descriptors_while_another_thread_runs_a_task)
{
    std::promise<void> begun;
    bool closed = false;
    std::jthread other{[&] {
        loop_.run_or_post([&] {
            begun.set_value();
            // Before it was stopped, it is in a turn: boot_time::min().
            const auto end = in(20ms);
            while (boot_clock::now() < end) closed |= loop_.next_due() == boot_time::max();
        });
    }};
    begun.get_future().wait();
    loop_.stop();
    other.join();
    EXPECT_FALSE(closed);
}

TEST_F(a_loop, runs_one_task_at_a_time_when_many_threads_run_theirs)
{
    int count = 0;  // not atomic: only one task uses it at a time
    std::atomic<int> begun = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 500; ++i) {
                    std::stop_source done;
                    loop_.run_or_post([&count, done]() mutable {
                        ++count;
                        done.request_stop();
                    });
                    EXPECT_FALSE(loop_.help(platform_, in(test::patience), done.get_token()));
                    ++begun;
                }
            });
        }
    }
    EXPECT_EQ(begun, 2'000);
    std::promise<int> all;
    loop_.post([&] { all.set_value(count); });
    EXPECT_EQ(all.get_future().get(), 2'000);
}

std::atomic<int> signals_seen = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

TEST_F(a_loop, lets_a_guest_handle_its_signals)
{
    signals_seen = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { ++signals_seen; };
    struct sigaction before{};
    ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
    std::atomic<int> count = 0;
    const source input{loop_, [&] { ++count; }};
    helper one{loop_, platform_};
    until_there(loop_, one);
    ::pthread_kill(one.handle(), SIGUSR1);
    EXPECT_TRUE(eventually([] { return signals_seen == 1; }));
    EXPECT_FALSE(one.ended());
    input.signal();
    EXPECT_TRUE(eventually([&] { return count == 1; }));
    one.wake();
    one.join();
    ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace pawl::base
