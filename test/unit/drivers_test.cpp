// The two drivers, with a machine that notes what it is told and a store that answers when the test says
// so.
#include "sync/blocking_driver.h"
#include "sync/loop_driver.h"

#include "base/event_loop.h"
#include "core/exchange.h"
#include "support/eventually.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace pawl::sync {
namespace {

using namespace std::chrono_literals;
using core::step;
using test::eventually;

const core::reply done_reply{core::hold_reply{core::hold_status::done}};

// Does the steps that the test wrote down, one after the other, and then finishes.
class scripted final : public call {
public:
    explicit scripted(std::vector<step::kind> script, std::chrono::milliseconds length = 1min)
        : script_{std::move(script)}, length_{length}
    {
    }

    step start(base::boot_time now) override
    {
        bell_ = new_bell();
        if (rings_at_once) ring();
        return note("start", now);
    }
    step on_reply(const core::reply& /*got*/, base::boot_time now) override
    {
        return note("reply", now);
    }
    step on_time(base::boot_time now) override { return note("time", now); }
    step on_cancel(base::boot_time /*now*/, std::string_view why) override
    {
        note_only("cancel" + std::string{why});
        return {.what = step::kind::finish};
    }

    [[nodiscard]] std::string told() const
    {
        const std::scoped_lock guard{mutex_};
        return told_;
    }

    void ring() const
    {
        const auto woken = bell_.lock();
        ASSERT_NE(woken, nullptr);
        woken->ring();
    }

    bool rings_at_once = false;  // before the first step waits

private:
    step note(const std::string& what, base::boot_time now)
    {
        note_only(what);
        if (next_ == script_.size()) return {.what = step::kind::finish};
        return {.what = script_[next_++], .until = now + length_, .request = core::check_request{}};
    }

    void note_only(const std::string& what)
    {
        const std::scoped_lock guard{mutex_};
        told_ += (told_.empty() ? "" : " ") + what;
    }

    std::vector<step::kind> script_;
    std::size_t next_ = 0;
    std::chrono::milliseconds length_;
    mutable std::mutex mutex_;
    std::string told_;
    std::weak_ptr<bell> bell_;
};

class answering_store final : public store::store {
public:
    core::reply execute(const core::request& /*what*/, base::boot_time /*until*/,
                        const base::interrupt* /*stop*/) override
    {
        return done_reply;
    }
    void submit(core::request /*what*/, std::chrono::milliseconds /*patience*/, still_wanted wanted,
                reply_handler done) override
    {
        ++submitted;
        const std::scoped_lock guard{mutex_};
        last_ = {std::move(wanted), std::move(done)};
    }
    void connect() override {}
    void listen(std::string_view /*client*/, pawl::store::notice_listener& /*who*/) override {}
    void doubt() override {}
    std::optional<core::failure> ping(base::boot_time /*until*/) override { return std::nullopt; }
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }

    // On the loop.
    void answer()
    {
        const std::scoped_lock guard{mutex_};
        last_.second(done_reply);
    }
    [[nodiscard]] bool is_wanted()
    {
        const std::scoped_lock guard{mutex_};
        return last_.first();
    }

    std::atomic<int> submitted = 0;

private:
    std::mutex mutex_;
    std::pair<still_wanted, reply_handler> last_;
    std::string shown_ = "answering";
};

// ── The driver that blocks ──────────────────────────────────────────────────────────────────────

class a_blocking_driver : public testing::Test {
protected:
    ~a_blocking_driver() override { loop_.stop(); }

    base::system_platform platform_;
    base::event_loop loop_{platform_};
    store_slot slot_{std::make_shared<answering_store>()};
    blocking_driver driver_{platform_, loop_, slot_};
};

TEST_F(a_blocking_driver, sends_and_pauses_until_the_machine_finishes)
{
    scripted machine{{step::kind::send, step::kind::pause, step::kind::wait}, 1ms};
    driver_.run(machine, nullptr);
    EXPECT_EQ(machine.told(), "start reply time time");
}

TEST_F(a_blocking_driver, is_woken_by_the_bell_in_both_ways_to_wait)
{
    for (const auto way : {step::kind::pause, step::kind::wait}) {
        scripted machine{{way}};
        auto running = std::async(std::launch::async, [&] { driver_.run(machine, nullptr); });
        ASSERT_TRUE(eventually([&] { return machine.told() == "start"; }));
        machine.ring();
        running.get();
        EXPECT_EQ(machine.told(), "start time");
    }
}

TEST_F(a_blocking_driver, hears_a_bell_that_rang_before_the_wait)
{
    scripted machine{{step::kind::wait}};
    machine.rings_at_once = true;
    driver_.run(machine, nullptr);
    EXPECT_EQ(machine.told(), "start time");
}

TEST_F(a_blocking_driver, cancels_when_stop_is_requested)
{
    for (const auto way : {step::kind::pause, step::kind::wait}) {
        scripted machine{{way}};
        std::stop_source stop;
        const base::interrupt interrupt{stop.get_token()};
        auto running = std::async(std::launch::async, [&] { driver_.run(machine, &interrupt); });
        ASSERT_TRUE(eventually([&] { return machine.told() == "start"; }));
        stop.request_stop();
        running.get();
        EXPECT_EQ(machine.told(), "start cancel");
    }
}

TEST_F(a_blocking_driver, of_a_closed_client_refuses_every_request)
{
    core::object object{.name = "a"};
    const base::random_unit random = [] { return 0.5; };
    core::exchange_machine machine{core::check_request{.mine = {&object, "me"}}, 300ms, random};
    slot_.close();
    driver_.run(machine, nullptr);
    const auto* const failed = core::failure_in(machine.result());
    ASSERT_NE(failed, nullptr);
    EXPECT_EQ(failed->what, core::failure_kind::refused);
}

// ── The driver on the event loop ────────────────────────────────────────────────────────────────

class a_loop_driver : public testing::Test {
protected:
    a_loop_driver() { loop_.start(); }
    ~a_loop_driver() override { loop_.stop(); }

    std::shared_ptr<loop_driver> run(std::unique_ptr<call> what, std::stop_token stop = {})
    {
        machine_ = static_cast<scripted*>(what.get());
        auto made = loop_driver::make(parts_, std::move(what), std::move(stop),
                                      [this](loop_driver& /*over*/) { ++done_; });
        loop_.post([made] { made->start(); });
        return made;
    }

    // Returns after the tasks that were posted before.
    void await_posted()
    {
        std::promise<void> reached;
        loop_.post([&] { reached.set_value(); });
        reached.get_future().wait();
    }

    [[nodiscard]] bool is_told(const std::string& what) const
    {
        return eventually([&] { return machine_->told() == what; });
    }

    base::system_platform platform_;
    base::event_loop loop_{platform_};
    answering_store store_;
    loop_driver::client_parts parts_{platform_, loop_, &store_};
    scripted* machine_ = nullptr;
    std::atomic<int> done_ = 0;
};

TEST_F(a_loop_driver, sends_and_pauses_until_the_machine_finishes)
{
    const auto driver = run(std::make_unique<scripted>(
        std::vector{step::kind::pause, step::kind::send, step::kind::wait}, 1ms));
    ASSERT_TRUE(eventually([&] { return done_ == 1; })) << "the time of the send is over too";
    EXPECT_EQ(machine_->told(), "start time time time");
    EXPECT_FALSE(store_.is_wanted());
    loop_.post([&] { store_.answer(); });
    EXPECT_EQ(store_.submitted, 1);
}

TEST_F(a_loop_driver, passes_the_answer_on)
{
    const auto driver = run(std::make_unique<scripted>(std::vector{step::kind::send}));
    ASSERT_TRUE(eventually([&] { return store_.submitted == 1; }));
    EXPECT_TRUE(store_.is_wanted());
    loop_.post([&] { store_.answer(); });
    ASSERT_TRUE(eventually([&] { return done_ == 1; }));
    EXPECT_EQ(machine_->told(), "start reply");
}

TEST_F(a_loop_driver, is_woken_by_the_bell)
{
    const auto driver = run(std::make_unique<scripted>(std::vector{step::kind::wait}));
    ASSERT_TRUE(is_told("start"));
    machine_->ring();
    EXPECT_TRUE(is_told("start time"));
}

TEST_F(a_loop_driver, hears_a_bell_that_rang_before_the_wait)
{
    auto machine = std::make_unique<scripted>(std::vector{step::kind::wait});
    machine->rings_at_once = true;
    const auto driver = run(std::move(machine));
    EXPECT_TRUE(is_told("start time"));
}

TEST_F(a_loop_driver, hears_a_bell_that_rang_during_a_request)
{
    const auto driver =
        run(std::make_unique<scripted>(std::vector{step::kind::send, step::kind::wait}));
    ASSERT_TRUE(eventually([&] { return store_.submitted == 1; }));
    machine_->ring();
    await_posted();
    EXPECT_EQ(machine_->told(), "start");
    loop_.post([&] { store_.answer(); });
    EXPECT_TRUE(is_told("start reply time"));
}

TEST_F(a_loop_driver, looks_once_when_the_bell_rings_twice)
{
    const auto driver =
        run(std::make_unique<scripted>(std::vector{step::kind::wait, step::kind::wait}));
    ASSERT_TRUE(is_told("start"));
    loop_.post([&] {
        machine_->ring();
        machine_->ring();
    });
    await_posted();
    ASSERT_TRUE(is_told("start time"));
    await_posted();
    EXPECT_EQ(machine_->told(), "start time");
}

TEST_F(a_loop_driver, ignores_a_bell_that_rings_after_the_end)
{
    const auto driver = run(std::make_unique<scripted>(std::vector{step::kind::wait}));
    ASSERT_TRUE(is_told("start"));
    loop_.post([&] { driver->cancel(); });
    await_posted();
    machine_->ring();
    await_posted();
    EXPECT_EQ(machine_->told(), "start cancel");
    EXPECT_EQ(done_, 1);
}

TEST_F(a_loop_driver, cancels_when_stop_is_requested)
{
    std::stop_source stop;
    const auto driver =
        run(std::make_unique<scripted>(std::vector{step::kind::wait}), stop.get_token());
    ASSERT_TRUE(is_told("start"));
    stop.request_stop();
    EXPECT_TRUE(is_told("start cancel"));
    EXPECT_TRUE(eventually([&] { return done_ == 1; }));
}

TEST_F(a_loop_driver, does_not_start_if_stop_was_requested_before)
{
    std::stop_source stop;
    stop.request_stop();
    const auto driver =
        run(std::make_unique<scripted>(std::vector{step::kind::wait}), stop.get_token());
    EXPECT_TRUE(is_told("cancel"));
}

TEST_F(a_loop_driver, ends_once_when_the_client_is_destroyed)
{
    const auto driver = run(std::make_unique<scripted>(std::vector{step::kind::wait}));
    ASSERT_TRUE(is_told("start"));
    loop_.stop();
    driver->abandon();
    driver->abandon();
    EXPECT_EQ(machine_->told(), "start cancelthe client was destroyed");
    EXPECT_EQ(done_, 1);
}

TEST_F(a_loop_driver, leaves_alone_a_machine_that_gives_something_back)
{
    core::object object{.name = "a"};
    const base::random_unit random = [] { return 0.5; };
    const core::check_request request{.mine = {&object, "me"}};
    const auto driver =
        loop_driver::make(parts_, std::make_unique<core::exchange_machine>(request, 1min, random),
                          [this](loop_driver& /*over*/) { ++done_; });
    loop_.post([&] {
        driver->start();
        driver->cancel();
    });
    await_posted();
    EXPECT_EQ(store_.submitted, 1);
    EXPECT_EQ(done_, 0);
    loop_.post([&] { store_.answer(); });
    EXPECT_TRUE(eventually([&] { return done_ == 1; }));
}

}  // namespace
}  // namespace pawl::sync
