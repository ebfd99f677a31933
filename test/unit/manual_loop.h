// A platform, a loop and a connection that do what the test says.
#pragma once

#include "base/platform.h"
#include "base/scheduler.h"
#include "redis/resp.h"
#include "redis/transport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl::store {

using namespace std::chrono_literals;

// A platform whose clock the test moves.
class still_platform final : public base::platform {
public:
    [[nodiscard]] base::boot_time now() const noexcept override { return time; }
    [[nodiscard]] std::chrono::system_clock::time_point wall_time() const noexcept override
    {
        return {};
    }
    [[nodiscard]] double random_unit() override { return 0; }
    [[nodiscard]] std::string random_id() override { return {}; }
    [[nodiscard]] std::uint64_t thread_mark() const noexcept override { return 0; }
    [[nodiscard]] bool pause(base::boot_time, const base::interrupt*) override { return true; }

    base::boot_time time{100s};
};

// A loop that runs when the test says so. Other threads may post.
class manual_loop final : public base::scheduler {
public:
    void start() override {}
    void stop() override {}
    void post(task work) override
    {
        const std::scoped_lock guard{mutex_};
        tasks_.push_back(std::move(work));
    }
    void set_alarm(base::boot_time) override {}
    void on_alarm(task) override {}
    timer call_at(base::boot_time when, task work) override
    {
        timers_.emplace_back(timer{when, ++last_}, std::move(work));
        return timers_.back().first;
    }
    void cancel(const timer& handle) override
    {
        std::erase_if(timers_, [&](const auto& each) { return each.first == handle; });
    }

    void run()
    {
        for (auto next = take(); next; next = take()) next();
    }
    // Runs the timers that were set before.
    void ring()
    {
        for (const auto& [when, work] : std::exchange(timers_, {})) work();
        run();
    }
    [[nodiscard]] std::size_t timers() const { return timers_.size(); }

private:
    task take()
    {
        const std::scoped_lock guard{mutex_};
        if (tasks_.empty()) return {};
        auto next = std::move(tasks_.front());
        tasks_.pop_front();
        return next;
    }

    std::mutex mutex_;
    std::deque<task> tasks_;
    std::vector<std::pair<timer, task>> timers_;
    std::uint64_t last_ = 0;
};

class recorded_transport final : public redis::transport {
public:
    std::optional<redis::failure> call(
        const writer&, const waiting&,
        const std::function<void(const redis::reply_view&)>&) override
    {
        return std::nullopt;
    }
    void submit(writer request, std::chrono::milliseconds, reader done) override
    {
        std::string bytes;
        request({}, bytes);
        asked.push_back(bytes.substr(bytes.find('\n', 5) + 1, 4));
        answers.push_back(std::move(done));
    }
    void connect() override { ++connects; }
    void listen(std::string, redis::listener&) override {}
    void watch_channels(redis::channel_listener& who) override { listener = &who; }
    void send_channel_command(redis::channel_command what, const std::string& channel) override
    {
        sent.emplace_back(what, channel);
    }
    void hang_up() override
    {
        ++hang_ups;
        listener->disconnected({});
    }
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }

    void answer(const std::string& bytes)
    {
        redis::reply_parser parser;
        ASSERT_EQ(parser.parse(bytes), redis::parse_status::complete);
        const auto reply = parser.reply(bytes);
        const auto done = std::move(answers.front());
        answers.pop_front();
        done(&reply, nullptr);
    }

    redis::channel_listener* listener = nullptr;
    std::vector<std::pair<redis::channel_command, std::string>> sent;
    std::vector<std::string> asked;
    std::deque<reader> answers;
    int connects = 0;
    int hang_ups = 0;

private:
    std::string shown_;
};

}  // namespace pawl::store
