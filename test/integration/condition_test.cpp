// Condition variables on a real server: several processes, kill -9, lost answers, lost messages.
#include "integration/access_fixture.h"
#include "integration/child.h"
#include "integration/contended.h"
#include "support/acl_rule.h"
#include "support/fault_proxy.h"
#include "support/process.h"
#include "support/shared_file.h"
#include "support/temp_dir.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

using afterwards = fault_proxy::afterwards;

class condition : public contended {
protected:
    [[nodiscard]] std::int64_t in_condition()
    {
        constexpr std::int64_t elements_each = 2;
        return probe_.must({"LLEN", "pawl:cond:4:{job}:more"}).integer / elements_each;
    }

    [[nodiscard]] bool until_waiting(std::int64_t count)
    {
        return eventually([&] { return in_condition() == count; });
    }

    // A thread that waits. When this returns, it is in the condition, as the last of `all`, and its client
    // listens.
    [[nodiscard]] std::future<std::cv_status> waiting(mutex& lock, condition_variable& more,
                                                      std::int64_t all = 1)
    {
        auto made = std::async(std::launch::async, [&] {
            std::unique_lock held{lock};
            return more.wait_for(held, 2 * patience);
        });
        EXPECT_TRUE(until_waiting(all));
        EXPECT_TRUE(eventually([&] { return !probe_.must({"PUBSUB", "CHANNELS"}).items.empty(); }));
        return made;
    }

    // Through the proxy, with connections made and scripts loaded.
    [[nodiscard]] std::unique_ptr<client> proxied_client()
    {
        auto through = options(proxy_.url());
        through.command_limit = 3s;
        auto made = std::make_unique<client>(through);
        mutex lock{*made, "warm-up"};
        condition_variable more{lock, "more"};
        std::unique_lock held{lock};
        EXPECT_EQ(more.wait_for(held, 50ms), std::cv_status::timeout);
        more.notify_one();
        return made;
    }

    fault_proxy proxy_{server_.port()};
    mutex mine_{first_, "job", quick(long_lease)};
    condition_variable more_{mine_, "more"};
    mutex theirs_{second_, "job", quick(long_lease)};
    condition_variable their_more_{theirs_, "more"};
};

TEST_F(condition, a_waiter_of_another_client_is_woken_by_a_message)
{
    auto waiter = waiting(mine_, more_);
    EXPECT_EQ(holder(), "");
    their_more_.notify_one();
    ASSERT_EQ(waiter.wait_for(soon), std::future_status::ready) << "sooner than it would look";
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(condition, a_notification_under_the_lock_wakes_when_the_lock_is_released)
{
    auto waiter = waiting(mine_, more_);
    {
        const std::scoped_lock guard{theirs_};
        their_more_.notify_all();
        EXPECT_TRUE(until_queued(1)) << "in the queue of the lock";
    }
    ASSERT_EQ(waiter.wait_for(soon), std::future_status::ready);
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
}

TEST_F(condition, a_lost_answer_to_a_wait_makes_one_waiter)
{
    const auto own = proxied_client();
    for (const auto then : {afterwards::close, afterwards::silence}) {
        mutex lock{*own, "job", quick(long_lease)};
        condition_variable more{lock, "more"};
        auto held = lock.acquire();
        proxy_.swallow_reply_to(touches("pawl:cond:4:{job}:more"), 1, then);
        auto waiter = std::async(std::launch::async, [&] { more.wait(held); });
        ASSERT_TRUE(eventually([&] { return proxy_.counts().swallowed > 0; }));
        ASSERT_TRUE(until_waiting(1));
        const std::scoped_lock guard{mine_};
        while (in_condition() > 0) more_.notify_one();
        mine_.current()->release();
        ASSERT_EQ(waiter.wait_for(patience), std::future_status::ready);
        EXPECT_TRUE(held.confirm());
        held.release();
    }
}

TEST_F(condition, a_lost_answer_to_a_notification_wakes_the_waiter)
{
    const auto own = proxied_client();
    mutex lock{*own, "job"};
    condition_variable more{lock, "more"};
    auto waiter = waiting(mine_, more_);
    proxy_.swallow_reply_to(touches("pawl:cond:4:{job}:more"), 1, afterwards::close);
    more.notify_one();
    ASSERT_EQ(waiter.wait_for(soon), std::future_status::ready);
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
}

TEST_F(condition, a_lost_message_is_found_at_the_next_look)
{
    constexpr auto lease = 1500ms;
    const auto own = proxied_client();
    mutex lock{*own, "job", quick(lease)};
    condition_variable more{lock, "more"};
    auto waiter = waiting(lock, more);
    proxy_.drop_pushes(1);
    their_more_.notify_one();
    ASSERT_EQ(waiter.wait_for(look_interval(lease) + 2 * slack), std::future_status::ready);
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
}

TEST_F(condition, works_after_the_server_has_forgotten_its_scripts)
{
    auto waiter = waiting(mine_, more_);
    probe_.must({"SCRIPT", "FLUSH"});
    their_more_.notify_one();
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
    probe_.must({"SCRIPT", "FLUSH"});
    std::unique_lock held{mine_};
    EXPECT_EQ(more_.wait_for(held, 20ms), std::cv_status::timeout);
}

TEST_F(condition, a_server_that_has_lost_its_data_wakes_its_waiters)
{
    mutex brief{first_, "job", quick(1500ms)};
    condition_variable more{brief, "more"};
    auto waiter = waiting(brief, more);
    probe_.must({"FLUSHALL"});
    ASSERT_EQ(waiter.wait_for(look_interval(1500ms) + 2 * slack), std::future_status::ready);
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
}

TEST_F(condition, keys_of_other_types_are_left_alone)
{
    std::unique_lock held{mine_};
    probe_.must({"SET", "pawl:cond:4:{job}:more", "x"});
    const auto got = outcome_of([&] { more_.wait(held); });
    EXPECT_EQ(got.code, errc::not_a_lock) << got.message;
    EXPECT_FALSE(held.owns_lock());
    EXPECT_TRUE(eventually([&] { return holder().empty(); })) << "the lock is given back";
    EXPECT_EQ(outcome_of([&] { more_.notify_one(); }).code, errc::not_a_lock);
    EXPECT_EQ(probe_.get("pawl:cond:4:{job}:more"), "x");
}

TEST_F(condition, a_child_process_after_fork_gets_the_wrong_process_error)
{
    std::unique_lock held{mine_};
    auto other = mutex{first_, "other"}.acquire();
    process child = process::forked([&] {
        std::error_code ec;
        more_.wait(held, ec);
        if (ec != errc::wrong_process) return 1;
        more_.wait(other, ec);
        if (ec != errc::wrong_process) return 2;
        more_.notify_one(ec);
        return ec == errc::wrong_process ? 0 : 3;
    });
    EXPECT_EQ(child.wait(patience), exited(0)) << child.err();
    EXPECT_TRUE(mine_.current()->confirm());
}

TEST_F(condition, the_smallest_acl_rule_is_enough)
{
    client own{as_clerk(probe_, options(), smallest_rule())};
    mutex lock{own, "stock:jobs"};
    condition_variable more{lock, "more"};
    auto waiter = std::async(std::launch::async, [&] {
        std::unique_lock held{lock};
        return more.wait_for(held, 2 * patience);
    });
    ASSERT_TRUE(eventually(
        [&] { return probe_.must({"EXISTS", "pawl:cond:4:{stock:jobs}:more"}).integer == 1; }));
    {
        std::unique_lock held{lock};
        EXPECT_EQ(more.wait_for(held, 20ms), std::cv_status::timeout);
        more.notify_all();
    }
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
    EXPECT_TRUE(probe_.must({"ACL", "LOG"}).items.empty());
}

// ── A queue of several processes ────────────────────────────────────────────────────────────────

constexpr int producers = 2;
constexpr int consumers = 3;
constexpr int items_each = 40;
constexpr int items = producers * items_each;

// Guarded by the lock, except for the last one.
struct store {
    std::atomic<int> put;
    std::atomic<int> taken;
    std::atomic<int> inside;
    std::array<std::atomic<int>, items> times_taken;
    std::atomic<int> violations;
};

// One process at a time may be between these two.
class visit {
public:
    explicit visit(store& where) : where_{where}
    {
        if (++where_.inside != 1) ++where_.violations;
    }
    ~visit() { --where_.inside; }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

private:
    store& where_;
};

int produce(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    mutex lock{own, "job"};
    condition_variable more{lock, "more"};
    const shared_file<store> shared{arguments.at(1)};
    for (int i = 0; i < items_each; ++i) {
        {
            const std::scoped_lock held{lock};
            const visit here{*shared};
            ++shared->put;
        }
        more.notify_one();
    }
    return 0;
}

int consume(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    mutex lock{own, "job"};
    condition_variable more{lock, "more"};
    const shared_file<store> shared{arguments.at(1)};
    while (true) {
        std::unique_lock held{lock};
        const bool has_some = more.wait_for(held, 4 * patience, [&] {
            return shared->put > shared->taken || shared->taken == items;
        });
        if (!has_some) return 1;
        const visit here{*shared};
        if (shared->taken == items) break;
        ++shared->times_taken.at(static_cast<std::size_t>(shared->taken++));
        // The last item is the end for all.
        if (shared->taken == items) more.notify_all();
    }
    return 0;
}

const child_role producing{"producing", produce};
const child_role consuming{"consuming", consume};

TEST_F(condition, producers_and_consumers_share_a_queue)
{
    const temp_dir directory;
    const auto file = directory.file("store");
    const shared_file<store> shared{file};
    std::vector<process> all;
    for (int i = 0; i < consumers; ++i) all.push_back(consuming.start({server_.unix_url(), file}));
    for (int i = 0; i < producers; ++i) all.push_back(producing.start({server_.unix_url(), file}));
    for (auto& each : all) EXPECT_EQ(each.wait(6 * patience), exited(0)) << each.err();
    EXPECT_EQ(shared->violations, 0);
    for (const auto& each : shared->times_taken) EXPECT_EQ(each, 1);
    EXPECT_TRUE(until_nothing_is_left());
}

int wait_for_ever(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    mutex lock{own, "job", quick(1500ms)};
    condition_variable more{lock, "more"};
    std::unique_lock held{lock};
    say("waiting");
    more.wait(held);
    return 0;
}

const child_role sleeping{"waiting for ever", wait_for_ever};

TEST_F(condition, a_waiter_that_is_killed_is_passed_over)
{
    process dies = sleeping.start({server_.unix_url()});
    ASSERT_TRUE(until_waiting(1));
    auto waiter = waiting(mine_, more_, 2);
    dies.signal(SIGKILL);
    static_cast<void>(dies.wait(patience));
    // The server finds out that it does not listen any more.
    ASSERT_TRUE(eventually([&] { return probe_.must({"PUBSUB", "CHANNELS"}).items.size() == 1; }));
    their_more_.notify_one();
    ASSERT_EQ(waiter.wait_for(soon), std::future_status::ready);
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(condition, the_place_of_a_killed_waiter_expires)
{
    process dies = sleeping.start({server_.unix_url()});
    ASSERT_TRUE(until_waiting(1));
    dies.signal(SIGKILL);
    static_cast<void>(dies.wait(patience));
    EXPECT_TRUE(until_nothing_is_left(1500ms + 2 * slack));
}

}  // namespace
}  // namespace pawl::test
