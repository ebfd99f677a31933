// The waiting room, with a store that only records its requests.
#include "sync/waiting_room.h"

#include "base/event_loop.h"
#include "core/lease.h"
#include "support/eventually.h"
#include "sync/blocking_bell.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::sync {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::patience;

class noting_store final : public store::store {
public:
    struct released {
        std::string lock;
        std::string holder;
        pawl::layout layout;
        std::uint64_t used;
    };

    core::reply execute(const core::request& what, base::boot_time, const base::interrupt*) override
    {
        return core::failed(what, {.what = core::failure_kind::unavailable});
    }
    void submit(core::request what, std::chrono::milliseconds, still_wanted /*wanted*/,
                reply_handler done) override
    {
        const std::scoped_lock guard{mutex_};
        const auto& asked = std::get<core::release_request>(std::get<core::exchange_request>(what));
        releases_.push_back({asked.mine.what->name, std::string{asked.mine.holder},
                             asked.mine.what->layout, asked.used});
        done_.push_back(
            [done = std::move(done)] { done(core::hold_reply{core::hold_status::done}); });
    }
    void connect() override {}
    void listen(std::string_view client, pawl::store::notice_listener& /*who*/) override
    {
        ++listened;
        EXPECT_EQ(client, "me");
    }
    void doubt() override { ++doubted; }
    std::optional<core::failure> ping(base::boot_time) override { return std::nullopt; }
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }

    [[nodiscard]] std::vector<released> releases() const
    {
        const std::scoped_lock guard{mutex_};
        return releases_;
    }

    std::atomic<int> listened = 0;
    std::atomic<int> doubted = 0;

private:
    mutable std::mutex mutex_;
    std::vector<released> releases_;
    std::vector<std::function<void()>> done_;  // never called, because no caller waits for it
    std::string shown_ = "noting";
};

class in_the_room : public testing::Test {
protected:
    in_the_room() { around_.loop->start(); }
    ~in_the_room() override { around_.loop->stop(); }

    static surroundings made_around(const std::shared_ptr<noting_store>& store)
    {
        auto platform = std::make_shared<base::system_platform>();
        auto loop = std::make_unique<base::event_loop>(*platform);
        auto handlers = std::make_unique<observe::dispatcher_thread>();
        auto log = std::make_unique<observe::log_writer>(nullptr, *platform, *handlers);
        return {.client = platform->random_id(),
                .platform = platform,
                .stops = std::make_unique<observe::dispatcher_thread>(),
                .handlers = std::move(handlers),
                .log = std::move(log),
                .loop = std::move(loop),
                .store = store};
    }

    [[nodiscard]] static core::grant_notice grant(std::string holder)
    {
        return {.holder = std::move(holder), .fence = 17, .at = base::boot_clock::now()};
    }

    // A waiter, with the bell that wakes it.
    struct waiter {
        waiter(waiting_room& room, std::string_view holder) : place{room, holder, woken_by} {}

        // Whether the bell has rung since this was last asked.
        [[nodiscard]] bool is_woken() const
        {
            const bool rung = !woken_by->on_ring([] {});
            woken_by->silence();
            return rung;
        }

        std::shared_ptr<blocking_bell> woken_by = std::make_shared<blocking_bell>();
        waiting_room::place place;
    };

    std::shared_ptr<noting_store> store_ = std::make_shared<noting_store>();
    surroundings around_ = made_around(store_);
    std::vector<std::optional<std::string>> let_go_;
    lease_keeper keeper_{client_options{}, around_};
    waiting_room room_{around_, keeper_, "me", [this](std::optional<std::string_view> lock) {
                           let_go_.emplace_back(lock);
                       }};
};

TEST_F(in_the_room, one_subscription_serves_all)
{
    EXPECT_FALSE(room_.is_listening());
    room_.listen();
    room_.listen();
    ASSERT_TRUE(eventually([&] { return store_->listened > 0; }));
    room_.listen();
    room_.doubt();
    ASSERT_TRUE(eventually([&] { return store_->doubted == 1; })) << "after all posted tasks";
    EXPECT_EQ(store_->listened, 1);
    EXPECT_FALSE(room_.is_listening()) << "until it is confirmed";
    room_.listening(true);
    EXPECT_TRUE(room_.is_listening());
    room_.listening(false);
    EXPECT_FALSE(room_.is_listening());
}

TEST_F(in_the_room, a_grant_wakes_its_waiter_only)
{
    waiter mine{room_, "mine"};
    waiter other{room_, "other"};
    room_.granted(grant("mine"));
    EXPECT_TRUE(mine.is_woken());
    const auto got = mine.place.take();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->holder, "mine");
    EXPECT_EQ(got->fence, 17U);
    EXPECT_FALSE(mine.place.take()) << "once";
    EXPECT_FALSE(other.is_woken());
    EXPECT_FALSE(other.place.take());
    EXPECT_TRUE(store_->releases().empty());
}

TEST_F(in_the_room, a_grant_for_a_waiter_that_gave_up_is_given_back)
{
    const auto lease = std::make_shared<core::lease>();
    lease->what = std::make_shared<const core::object>(core::object{.name = "job"});
    lease->holder = "gone";
    lease->length = 30s;
    room_.gave_up(lease, base::boot_clock::now() + patience);
    room_.granted(grant("gone"));
    ASSERT_TRUE(eventually([&] { return store_->releases().size() == 1; }));
    EXPECT_EQ(store_->releases().front().lock, "job");
    EXPECT_EQ(store_->releases().front().holder, "gone");
}

TEST_F(in_the_room, a_grant_for_a_waiter_that_has_left_wakes_no_other)
{
    {
        const waiter gone{room_, "gone"};
    }
    waiter mine{room_, "mine"};
    room_.granted(grant("gone"));
    EXPECT_FALSE(mine.is_woken());
    EXPECT_FALSE(mine.place.take());
}

TEST_F(in_the_room, all_waiters_look_when_listening_begins_and_when_it_ends)
{
    for (const bool now : {true, false}) {
        waiter one{room_, "one"};
        const waiter other{room_, "other"};
        room_.listening(now);
        EXPECT_TRUE(one.is_woken());
        EXPECT_TRUE(other.is_woken());
        EXPECT_FALSE(one.place.take());
        EXPECT_FALSE(one.is_woken()) << "once";
    }
}

TEST_F(in_the_room, a_lingering_lock_is_released_when_it_is_wanted_or_listening_ends)
{
    room_.wanted("job");
    ASSERT_EQ(let_go_.size(), 1U);
    EXPECT_EQ(let_go_[0], "job");
    room_.listening(true);
    EXPECT_EQ(let_go_.size(), 1U);
    room_.listening(false);
    ASSERT_EQ(let_go_.size(), 2U);
    EXPECT_EQ(let_go_[1], std::nullopt) << "all";
}

}  // namespace
}  // namespace pawl::sync
