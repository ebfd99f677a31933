// Handlers of events and of losses may call pawl, and never delay a deadline.
#include "integration/fixture.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace pawl::test {
namespace {

class handlers : public with_server {
protected:
    // Runs `body` in the event handler of a client, once, when a hold changes to that state.
    client_options reacting(hold_state to, std::function<void(const event&)> body)
    {
        client_options made = options();
        made.on_event = [this, to, body = std::move(body)](const event& what) {
            if (what.to != to || reacted_) return;
            body(what);
            reacted_ = true;
        };
        return made;
    }

    [[nodiscard]] bool reacted() const
    {
        return eventually([this] { return reacted_.load(); });
    }

    std::atomic<bool> reacted_ = false;
};

TEST_F(handlers, of_events_may_release)
{
    std::optional<hold> held;
    std::atomic<bool> ready = false;
    std::error_code told;
    client own{reacting(hold_state::jeopardy, [&](const event&) {
        ready.wait(false);
        held->release(told);
    })};
    mutex lock{own, "job", quick(2s)};
    held = lock.try_acquire();
    ASSERT_TRUE(held);
    ready = true;
    ready.notify_all();
    server_.freeze();
    ASSERT_TRUE(eventually([&] { return held->state() != hold_state::held; }));
    server_.thaw();
    ASSERT_TRUE(reacted());
    EXPECT_FALSE(told) << told.message();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(handlers, of_events_may_acquire_confirm_and_list)
{
    std::optional<hold> second;
    std::size_t listed = 99;
    client* client_of_handler = nullptr;
    client own{reacting(hold_state::lost, [&](const event& what) {
        client_of_handler->ping();
        mutex lock{*client_of_handler, what.lock, quick(2s)};
        second = lock.try_acquire();
        listed = client_of_handler->holds().size();
    })};
    client_of_handler = &own;
    mutex lock{own, "job", quick(600ms)};
    const hold held = lock.acquire();
    probe_.must({"DEL", "job"});
    ASSERT_TRUE(reacted());
    ASSERT_TRUE(second);
    EXPECT_GT(second->fence(), held.fence());
    EXPECT_EQ(listed, 1);
}

TEST_F(handlers, of_a_loss_may_release_and_acquire)
{
    client own{options()};
    mutex lock{own, "job", quick(600ms)};
    hold held = lock.acquire();
    std::error_code told;
    std::optional<hold> second;
    const std::stop_callback at_loss{held.lost(), [&] {
                                         held.release(told);
                                         second = lock.try_acquire();
                                         reacted_ = true;
                                     }};
    probe_.must({"DEL", "job"});
    ASSERT_TRUE(reacted());
    EXPECT_EQ(told, errc::lost);
    ASSERT_TRUE(second);
}

TEST_F(handlers, that_are_slow_delay_neither_renewals_nor_deadlines)
{
    std::mutex gate;
    std::condition_variable opened;
    bool open = false;
    client own{reacting(hold_state::lost, [&](const event&) {
        std::unique_lock lock{gate};
        opened.wait(lock, [&] { return open; });
    })};
    mutex first{own, "first", quick(300ms)};
    mutex second{own, "second", quick(2400ms)};
    mutex third{own, "third", quick(600ms)};
    const hold lost = first.acquire();
    const hold renewed = second.acquire();
    lock_options fixed = quick(600ms);
    fixed.renew = false;
    mutex unrenewed{own, "fixed", fixed};
    const hold expiring = unrenewed.acquire();
    probe_.must({"DEL", "first"});
    ASSERT_TRUE(eventually([&] { return lost.state() == hold_state::lost; }));

    EXPECT_TRUE(eventually([&] { return expiring.state() == hold_state::lost; }));
    EXPECT_TRUE(expiring.lost().stop_requested());
    EXPECT_TRUE(always(2s, [&] { return renewed.state() == hold_state::held; }));
    EXPECT_TRUE(third.try_acquire());
    const std::lock_guard lock{gate};
    open = true;
    opened.notify_all();
}

TEST_F(handlers, see_the_changes_of_one_hold_in_order)
{
    client own{options()};
    mutex lock{own, "job", quick(1500ms)};
    hold held = lock.acquire();
    server_.freeze();
    (void)events_.first(hold_state::jeopardy);
    server_.thaw();
    (void)events_.first(hold_state::held);
    held.release();
    (void)events_.first(hold_state::released);
    std::vector<hold_state> seen;
    hold_state before = hold_state::held;
    for (const event& one : events_.of(held.id())) {
        EXPECT_EQ(one.from, before);
        before = one.to;
        seen.push_back(one.to);
    }
    EXPECT_EQ(seen, (std::vector{hold_state::jeopardy, hold_state::held, hold_state::released}));
}

TEST_F(handlers, are_called_for_a_release)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    {
        const hold held = lock.acquire();
    }
    const event released = events_.first(hold_state::released);
    EXPECT_EQ(released.from, hold_state::held);
    EXPECT_EQ(released.why, cause::none);
    EXPECT_EQ(released.lock, "job");
}

}  // namespace
}  // namespace pawl::test
