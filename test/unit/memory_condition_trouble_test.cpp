// Conditions over a memory server: lost locks, lost data, broken connections, waiters that die or give up.
#include "unit/memory_condition_fixture.h"

#include <future>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

namespace pawl::test {
namespace {

TEST_F(memory_condition, a_wait_fails_if_the_lock_was_lost_before)
{
    std::unique_lock lock{mutex_};
    server_.lose("job");
    EXPECT_EQ(code_of([&] { more_.wait(lock); }), errc::lost);
    EXPECT_FALSE(lock.owns_lock());
    EXPECT_EQ(lock.mutex(), &mutex_);
    EXPECT_EQ(mutex_.current(), nullptr);
    EXPECT_EQ(queue_.length("job", "more"), 0) << "it has not joined";
    lock.lock();
    EXPECT_TRUE(lock.owns_lock()) << "it can be locked again";
}

TEST_F(memory_condition, a_wait_fails_if_the_deadline_of_the_lock_has_passed)
{
    mutex brief{client_, "job", {.lease = 1s, .renew = false}};
    condition_variable more{brief, "more"};
    auto held = brief.acquire();
    server_.advance(2s);
    std::error_code ec;
    more.wait(held, ec);
    EXPECT_EQ(ec, errc::lost);
    EXPECT_FALSE(held);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(memory_condition, another_holder_is_left_alone_by_one_that_lost_the_lock)
{
    auto held = mutex_.acquire();
    server_.lose("job");
    auto theirs = their_mutex_.acquire();
    std::error_code ec;
    EXPECT_EQ(more_.wait_for(held, 1h, ec), std::cv_status::timeout);
    EXPECT_EQ(ec, errc::lost);
    EXPECT_TRUE(theirs.confirm());
}

TEST_F(memory_condition, a_wait_needs_a_lock)
{
    std::unique_lock lock{mutex_, std::defer_lock};
    EXPECT_EQ(code_of([&] { more_.wait(lock); }), errc::not_owner);
    hold none;
    std::error_code ec;
    more_.wait(none, ec);
    EXPECT_EQ(ec, errc::not_owner);
}

TEST_F(memory_condition, a_wait_with_another_lock_changes_nothing)
{
    mutex wrong{client_, "other"};
    std::unique_lock lock{wrong};
    EXPECT_EQ(code_of([&] { more_.wait(lock); }), errc::bad_argument);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_TRUE(wrong.current()->confirm());
    auto of_another_client = their_mutex_.acquire();
    EXPECT_EQ(code_of([&] { more_.wait(of_another_client); }), errc::bad_argument);
    EXPECT_TRUE(of_another_client.confirm());
}

TEST_F(memory_condition, a_name_is_checked)
{
    EXPECT_EQ(code_of([&] { const condition_variable none{mutex_, ""}; }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { const condition_variable nul{mutex_, std::string(1, '\0')}; }),
              errc::bad_argument);
    EXPECT_EQ(code_of([&] { const condition_variable big{mutex_, std::string(513, 'a')}; }),
              errc::bad_argument);
    EXPECT_EQ(more_.name(), "more");
}

TEST_F(memory_condition, messages_name_the_condition_and_the_lock)
{
    std::unique_lock lock{mutex_, std::defer_lock};
    try {
        more_.wait(lock);
        FAIL();
    } catch (const error& e) {
        EXPECT_NE(std::string{e.what()}.find("wait for 'more' of 'job'"), std::string::npos)
            << e.what();
    }
}

TEST_F(memory_condition, a_waiter_that_the_server_has_forgotten_wakes)
{
    auto waiter = waiting_hold(mutex_, more_);
    server_.lose_data();
    auto held = get(waiter);
    EXPECT_TRUE(held.confirm()) << "for no reason, but with the lock";
}

TEST_F(memory_condition, a_waiter_keeps_its_place_however_long_it_waits)
{
    auto waiter = waiting_hold(mutex_, more_);
    for (int i = 0; i < 20; ++i) server_.advance(10s);
    EXPECT_EQ(queue_.length("job", "more"), 1);
    more_.notify_one();
    EXPECT_TRUE(get(waiter));
}

TEST_F(memory_condition, a_waiter_that_could_not_hear_of_its_grant_has_the_lock_when_it_looks)
{
    auto waiter = waiting_hold(mutex_, more_);
    server_.cut_off(client_);
    their_more_.notify_one();
    server_.reconnect(client_);
    auto held = get(waiter);
    EXPECT_TRUE(held.confirm());
}

TEST_F(memory_condition, a_waiter_without_a_server_fails_and_leaves_nothing)
{
    auto waiter = waiting([&] {
        auto held = mutex_.acquire();
        std::error_code ec;
        more_.wait(held, ec);
        EXPECT_FALSE(held);
        return ec;
    });
    server_.cut_off(client_);
    while (!is_ready(waiter)) server_.advance(1s);
    EXPECT_EQ(waiter.get(), errc::unreachable);
    server_.reconnect(client_);
    EXPECT_TRUE(eventually([&] {
        server_.advance(1s);
        return queue_.length("job", "more") == 0 && !queue_.is_held("job");
    }));
}

TEST_F(memory_condition, a_wait_that_gets_no_answer_gives_the_lock_back_later)
{
    auto held = mutex_.acquire();
    server_.cut_off(client_);
    std::error_code ec;
    auto waiter = std::async(std::launch::async, [&] { more_.wait(held, ec); });
    // On a busy machine the lease could end before the wait begins.
    EXPECT_TRUE(eventually([&] { return queue_.unanswered() > 0; }));
    while (!is_ready(waiter)) server_.advance(100ms);
    EXPECT_EQ(ec, errc::unreachable);
    EXPECT_FALSE(held);
    server_.reconnect(client_);
    EXPECT_TRUE(eventually([&] {
        server_.advance(1s);
        return !queue_.is_held("job");
    }));
    EXPECT_EQ(queue_.length("job", "more"), 0);
}

TEST_F(memory_condition, a_waiter_that_gives_up_after_its_notification_passes_it_on)
{
    auto next = waiting_behind_one_that_gives_up();
    server_.reconnect(client_);
    EXPECT_TRUE(get(next));
}

TEST_F(memory_condition, a_notification_is_passed_on_however_long_the_client_was_cut_off)
{
    auto next = waiting_behind_one_that_gives_up();
    server_.advance(5min);
    EXPECT_FALSE(is_ready(next));
    server_.reconnect(client_);
    for (int i = 0; i < 60 && !is_ready(next); ++i) server_.advance(1s);
    EXPECT_TRUE(is_ready(next));
    their_more_.notify_all();
    EXPECT_TRUE(get(next));
}

TEST_F(memory_condition, the_place_of_a_client_that_is_gone_is_passed_over_when_it_has_ended)
{
    client dies{options()};
    mutex theirs{dies, "job"};
    condition_variable more{theirs, "more"};
    auto gone = waiting([&] {
        auto held = theirs.acquire();
        std::error_code ec;
        more.wait(held, ec);
        return ec;
    });
    auto waiter = waiting_hold(mutex_, more_, 2);
    server_.cut_off(dies);
    while (!is_ready(gone)) server_.advance(1s);
    for (int i = 0; i < 6; ++i) server_.advance(10s);
    EXPECT_EQ(queue_.length("job", "more"), 2) << "its place is still there, but is not kept";
    their_more_.notify_one();
    EXPECT_TRUE(get(waiter));
    server_.reconnect(dies);
}

TEST_F(memory_condition, the_first_waiter_of_a_client_is_not_forgotten)
{
    // It joins before its client listens. A notification then only removes it from the condition.
    for (int i = 0; i < 20; ++i) {
        client fresh{options()};
        mutex lock{fresh, "job"};
        condition_variable more{lock, "more"};
        auto waiter = std::async(std::launch::async, [&] {
            auto held = lock.acquire();
            more.wait(held);
            return held.confirm();
        });
        while (!is_ready(waiter)) {
            their_more_.notify_one();
            server_.advance(1ms);
        }
        EXPECT_TRUE(waiter.get());
    }
}

TEST_F(memory_condition, a_full_server_refuses_a_wait_and_gets_the_lock_back)
{
    auto held = mutex_.acquire();
    server_.fill_memory();
    std::error_code ec;
    more_.wait(held, ec);
    EXPECT_EQ(ec, errc::refused);
    EXPECT_FALSE(held);
    EXPECT_TRUE(nothing_is_left());
    server_.free_memory();
}

TEST_F(memory_condition, a_full_server_lets_waiters_wake)
{
    auto waiter = waiting_hold(mutex_, more_);
    auto theirs = their_mutex_.acquire();
    server_.fill_memory();
    their_more_.notify_one();
    theirs.release();
    EXPECT_TRUE(waiter.get());
    server_.free_memory();
}

TEST_F(memory_condition, the_objects_may_be_destroyed_while_a_hold_of_theirs_exists)
{
    hold held;
    {
        mutex lock{client_, "job"};
        condition_variable more{lock, "more"};
        held = lock.acquire();
        EXPECT_EQ(more.wait_for(held, 0s), std::cv_status::timeout);
    }
    EXPECT_TRUE(held.confirm());
}

TEST_F(memory_condition, a_notification_says_if_it_fails)
{
    server_.cut_off(client_);
    std::error_code ec;
    auto notified = std::async(std::launch::async, [&] { more_.notify_one(ec); });
    while (!is_ready(notified)) server_.advance(100ms);
    EXPECT_EQ(ec, errc::unreachable);
    server_.reconnect(client_);
    more_.notify_all(ec);
    EXPECT_FALSE(ec);
}

}  // namespace
}  // namespace pawl::test
