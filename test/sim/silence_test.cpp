// A server that falls silent: all waiters for a lock in one process are told at the same time, and
// not one after the other. In simulated time, where it is known which threads wait.
#include "sim/async_calls.h"
#include "sim/background.h"
#include "sim/transport.h"
#include "store/redis/single_server.h"
#include "sync/client_access.h"
#include "sync/surroundings.h"

#include <pawl/client.h>
#include <pawl/error.h>
#include <pawl/mutex.h>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

namespace pawl::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto limit = 1000ms;
constexpr auto a_moment = 150ms;  // the shortest attempt, and a little more

class a_silent_server : public testing::Test {
protected:
    struct ending {
        std::error_code why;
        nanoseconds after{};  // since the process began to wait
    };

    a_silent_server()
    {
        client_options options;
        options.command_limit = limit;
        options.connect_limit = limit;
        auto way =
            std::make_unique<transport>(world_, server_, process_, net_, dice{7},
                                        transport::limits{.connect = limit, .command = limit});
        sync::surroundings around{
            .client = process_->draw_client(),
            .platform = process_,
            .stops = std::make_unique<sim_dispatcher>(process_),
            .handlers = std::make_unique<sim_dispatcher>(process_),
            .loop = std::make_unique<sim_scheduler>(process_),
            .store = std::make_shared<store::single_server>(process_, std::move(way), 0.01)};
        client_.reset(new client(client_access::make(options, std::move(around))));
        lock_.emplace(*client_, "lock");
    }

    ~a_silent_server() override
    {
        process_->crash();
        lock_.reset();
        client_.reset();
    }

    // Waits in a separate thread, some time from now.
    void wait_for_lock(nanoseconds from, bool blocking = true, std::stop_token stop = {},
                       time_limit own = time_limit::never())
    {
        process_->after(from, [this, blocking, stop, own] {
            process_->start_thread([this, blocking, stop, own] {
                const auto began = world_.now();
                std::error_code ec;
                if (blocking && own.is_never()) {
                    static_cast<void>(lock_->acquire(stop, ec));
                } else if (blocking) {
                    static_cast<void>(lock_->try_acquire_for(own.wait(), stop, ec));
                } else {
                    static_cast<void>(acquire_async(*process_, *lock_, own, stop, ec));
                }
                told_.push_back({ec, world_.now() - began});
            });
        });
    }

    void pass(nanoseconds time)
    {
        const auto end = world_.now() + time;
        while (world_.next() <= end) static_cast<void>(world_.step());
        world_.skip_to(end);
    }

    world world_;
    server server_{world_, {0ns, 0}};
    std::shared_ptr<process> process_ =
        std::make_shared<process>(world_, 1, drifting_clock{1s, 0}, dice{3});
    network net_;
    std::unique_ptr<client> client_;
    std::optional<mutex> lock_;
    std::vector<ending> told_;
    signal never_;
};

TEST_F(a_silent_server, is_reported_to_all_waiting_threads_within_one_command_limit)
{
    server_.freeze();
    for (int i = 0; i < 8; ++i) wait_for_lock(i * 10ms);
    pass(limit + a_moment);
    ASSERT_EQ(told_.size(), 8U);
    for (const auto& each : told_) EXPECT_EQ(each.why, errc::unreachable);
}

TEST_F(a_silent_server, is_reported_to_all_asynchronous_calls_within_one_command_limit)
{
    server_.freeze();
    for (int i = 0; i < 20; ++i) wait_for_lock(i * 10ms, false);
    pass(limit + a_moment);
    ASSERT_EQ(told_.size(), 20U);
    for (const auto& each : told_) EXPECT_EQ(each.why, errc::unreachable);
}

TEST_F(a_silent_server, that_refuses_connections_is_reported_to_all_waiters_as_soon)
{
    server_.go_down();
    for (int i = 0; i < 8; ++i) wait_for_lock(i * 10ms, i % 2 == 0);
    pass(limit + a_moment);
    ASSERT_EQ(told_.size(), 8U);
    for (const auto& each : told_) EXPECT_EQ(each.why, errc::unreachable);
}

TEST_F(a_silent_server, is_reported_in_time_even_if_those_that_asked_gave_up_one_after_the_other)
{
    server_.freeze();
    std::stop_source changed_mind;
    wait_for_lock(0ms, true, {}, time_limit::after(400ms));
    wait_for_lock(10ms, false, changed_mind.get_token());
    for (int i = 0; i < 6; ++i) wait_for_lock(20ms, i % 2 == 0);
    pass(900ms);
    changed_mind.request_stop();
    pass(100ms + a_moment);
    ASSERT_EQ(told_.size(), 8U);
    EXPECT_EQ(told_[0].why, errc::unreachable) << "after its own limit";
    EXPECT_EQ(told_[1].why, errc::cancelled);
    for (std::size_t i = 2; i < 8; ++i) EXPECT_EQ(told_[i].why, errc::unreachable);
}

TEST_F(a_silent_server, is_asked_again_by_callers_that_come_after_the_report)
{
    server_.freeze();
    for (int i = 0; i < 4; ++i) wait_for_lock(0ms);
    pass(limit + a_moment);
    ASSERT_EQ(told_.size(), 4U);
    for (int i = 0; i < 4; ++i) wait_for_lock(0ms, i % 2 == 0);
    pass(limit / 2);
    EXPECT_EQ(told_.size(), 4U) << "they have a whole new limit";
    server_.thaw();
    pass(limit);
    ASSERT_EQ(told_.size(), 8U);
    for (std::size_t i = 4; i < 8; ++i) EXPECT_FALSE(told_[i].why) << i;
}

TEST_F(a_silent_server,
       that_falls_silent_while_a_lock_is_passed_on_is_reported_to_all_waiters_as_soon)
{
    process_->start_thread([this] {
        auto held = lock_->acquire();
        for (int i = 0; i < 4; ++i) wait_for_lock(0ms, i % 2 == 0);
        process_->wait(never_, process_->now() + 50ms);
        server_.freeze();
        // It has been passed on for so long that the server is asked, without an answer.
        std::error_code ec;
        held.release(ec);
        EXPECT_EQ(ec, errc::unreachable);
    });
    pass(50ms + limit + a_moment);
    ASSERT_EQ(told_.size(), 4U);
    for (const auto& each : told_) EXPECT_EQ(each.why, errc::unreachable);
}

}  // namespace
}  // namespace pawl::sim
