// The destruction of a client leaves nothing behind, and takes no longer than its limit.
#include "integration/fixture.h"
#include "support/fault_proxy.h"
#include "support/self_counts.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace pawl::test {
namespace {

class client_end : public with_server {
protected:
    ~client_end() override { server_.thaw(); }

    client_options hasty(std::chrono::milliseconds shutdown)
    {
        client_options made = options();
        made.shutdown_limit = shutdown;
        return made;
    }
};

TEST_F(client_end, leaves_no_thread_descriptor_or_connection)
{
    const auto use_a_client = [this](const std::string& url) {
        client own{options(url)};
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&own, t] {
                mutex lock{own, "lock:" + std::to_string(t), quick(900ms)};
                const std::lock_guard guard{lock};
            });
        }
        mutex lock{own, "job", quick(600ms)};
        const hold held = lock.acquire();
        const auto before = probe_.calls("pexpire");
        EXPECT_TRUE(eventually([&] { return probe_.calls("pexpire") > before; })) << "a renewal";
    };
    use_a_client(server_.unix_url());  // descriptors that libraries open once are not counted
    use_a_client(server_.url());
    const std::size_t threads = thread_count();
    const std::size_t descriptors = descriptor_count();
    for (int i = 0; i < 3; ++i) {
        use_a_client(server_.unix_url());
        use_a_client(server_.url());
    }
    EXPECT_EQ(thread_count(), threads);
    EXPECT_EQ(descriptor_count(), descriptors);
    EXPECT_TRUE(eventually([&] { return probe_.client_list().empty(); }));
}

TEST_F(client_end, of_an_unused_client_leaves_nothing)
{
    {
        const client warm{options()};
    }
    const std::size_t threads = thread_count();
    const std::size_t descriptors = descriptor_count();
    {
        const client unused{options()};
        EXPECT_EQ(thread_count(), threads + 1);
        EXPECT_TRUE(probe_.client_list().empty());  // no connection before it is needed
    }
    EXPECT_EQ(thread_count(), threads);
    EXPECT_EQ(descriptor_count(), descriptors);
}

TEST_F(client_end, is_bounded_when_the_server_is_frozen)
{
    auto own = std::make_unique<client>(hasty(300ms));
    mutex lock{*own, "job", quick(600ms)};
    hold held = lock.acquire();
    server_.freeze();
    (void)events_.first(hold_state::jeopardy);  // renewals are under way
    EXPECT_LT(time_of([&] { own.reset(); }), 300ms + slack);
}

TEST_F(client_end, is_bounded_when_the_server_is_dead)
{
    auto own = std::make_unique<client>(hasty(300ms));
    mutex lock{*own, "job", quick(600ms)};
    hold held = lock.acquire();
    server_.kill();
    (void)events_.first(hold_state::jeopardy);
    EXPECT_LT(time_of([&] { own.reset(); }), 300ms + slack);
}

TEST_F(client_end, is_bounded_while_a_release_is_outstanding)
{
    client_options hurried = hasty(300ms);
    hurried.command_limit = 1s;
    auto own = std::make_unique<client>(hurried);
    mutex lock{*own, "job", quick(30s)};
    hold held = lock.acquire();
    server_.freeze();
    std::error_code told;
    held.release(told);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_LT(time_of([&] { own.reset(); }), 300ms + slack);
}

TEST_F(client_end, is_bounded_when_connecting_hangs)
{
    fault_proxy proxy{server_.port()};
    proxy.set_door(fault_proxy::door::ignored);
    client_options through = options(proxy.url());
    through.shutdown_limit = 300ms;
    through.command_limit = 200ms;
    auto own = std::make_unique<client>(through);
    mutex lock{*own, "job", quick(600ms)};
    std::error_code told;
    (void)lock.try_acquire(told);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_LT(time_of([&] { own.reset(); }), 300ms + slack);
}

TEST_F(client_end, of_an_idle_client_is_quick)
{
    auto own = std::make_unique<client>(hasty(10s));
    own->ping();
    EXPECT_LT(time_of([&] { own.reset(); }), slack);
}

TEST_F(client_end, tells_remaining_holders_and_does_not_release_their_locks)
{
    std::optional<hold> held;
    {
        client own{options()};
        mutex lock{own, "job", quick(900ms)};
        held = lock.try_acquire();
        ASSERT_TRUE(held);
    }
    EXPECT_EQ(held->state(), hold_state::lost);
    EXPECT_EQ(held->why(), cause::closed);
    EXPECT_TRUE(held->lost().stop_requested());
    EXPECT_EQ(events_.first(hold_state::lost, held->id()).why, cause::closed);
    EXPECT_EQ(probe_.get("job"), held->id());  // its lease continues
    std::error_code told;
    held->extend(1s, told);
    EXPECT_EQ(told, errc::lost);
    held->release(told);
    EXPECT_EQ(told, errc::lost);
    held.reset();
    EXPECT_TRUE(eventually(900ms + slack, [&] { return !probe_.exists("job"); }));  // it ends
}

TEST_F(client_end, may_come_from_its_own_event_handler)
{
    {
        const client warm{options()};
    }
    const std::size_t threads = thread_count();
    const std::size_t descriptors = descriptor_count();
    std::unique_ptr<client> own;
    std::atomic<bool> done = false;
    client_options made = options();
    made.on_event = [&](const event& what) {
        if (what.to != hold_state::lost || done) return;
        own.reset();
        done = true;
    };
    own = std::make_unique<client>(made);
    std::optional<hold> held;
    {
        mutex lock{*own, "job", quick(300ms)};
        held = lock.try_acquire();
    }
    ASSERT_TRUE(held);
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(eventually([&] { return done.load(); }));
    EXPECT_EQ(held->state(), hold_state::lost);
    EXPECT_TRUE(eventually([&] { return thread_count() == threads; }));
    held.reset();
    EXPECT_TRUE(eventually([&] { return descriptor_count() == descriptors; }));
}

TEST_F(client_end, leaves_no_descriptor_even_if_a_hold_outlives_it)
{
    {
        const client warm{options()};
    }
    const std::size_t descriptors = descriptor_count();
    std::optional<hold> held;
    {
        client own{options()};
        mutex lock{own, "job", quick(900ms)};
        held = lock.try_acquire();
        ASSERT_TRUE(held);
    }
    EXPECT_EQ(descriptor_count(), descriptors);
}

TEST_F(client_end, may_come_from_a_stop_callback)
{
    {
        const client warm{options()};
    }
    const std::size_t threads = thread_count();
    auto own = std::make_unique<client>(options());
    std::atomic<bool> done = false;
    std::optional<hold> held;
    {
        mutex lock{*own, "job", quick(300ms)};
        held = lock.try_acquire();
    }
    ASSERT_TRUE(held);
    const std::stop_callback at_loss{held->lost(), [&] {
                                         own.reset();
                                         done = true;
                                     }};
    probe_.must({"DEL", "job"});
    EXPECT_TRUE(eventually([&] { return done.load(); }));
    EXPECT_TRUE(eventually([&] { return thread_count() == threads; }));
}

TEST_F(client_end, again_and_again_is_safe)
{
    for (int i = 0; i < 100; ++i) {
        client own{options()};
        mutex lock{own, "job", quick(20ms)};
        if (i % 2 == 0) (void)lock.try_acquire_for(1s);
        const auto held = lock.try_acquire_for(1s);
        EXPECT_TRUE(held);
    }
}

}  // namespace
}  // namespace pawl::test
