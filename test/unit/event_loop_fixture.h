// The fixture of tests of the loop.
#pragma once

#include "base/event_loop.h"

#include <gtest/gtest.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <thread>

namespace pawl::base {

// A watched descriptor. Each signal calls the handler once.
class source {
public:
    source(event_loop& loop, std::function<void()> handler)
        : loop_{&loop}, fd_{::eventfd(0, EFD_NONBLOCK)}
    {
        on_loop([&] {
            loop.watch(fd_.get(), EPOLLIN, [this, handler = std::move(handler)] {
                std::uint64_t count{};
                if (::read(fd_.get(), &count, sizeof count) == sizeof count) handler();
            });
        });
    }

    ~source()
    {
        if (loop_ != nullptr) on_loop([this] { loop_->unwatch(fd_.get()); });
    }
    source(const source&) = delete;
    source& operator=(const source&) = delete;

    // To be called after the loop was stopped.
    void let_go() { loop_ = nullptr; }

    void signal() const
    {
        const std::uint64_t one = 1;
        EXPECT_EQ(::write(fd_.get(), &one, sizeof one), sizeof one);
    }

    void on_loop(const std::function<void()>& what) const
    {
        std::promise<void> done;
        loop_->post([&] {
            what();
            done.set_value();
        });
        done.get_future().wait();
    }

private:
    event_loop* loop_;
    common::unique_fd fd_;
};

class a_loop : public testing::Test {
protected:
    a_loop()
    {
        loop_.start();
        // Before there is a guest, because the guest could run the task.
        std::promise<std::thread::id> id;
        loop_.post([&] { id.set_value(std::this_thread::get_id()); });
        own_thread_ = id.get_future().get();
    }

    [[nodiscard]] static boot_time in(std::chrono::milliseconds time)
    {
        return boot_clock::now() + time;
    }

    system_platform platform_;
    event_loop loop_{platform_};
    std::thread::id own_thread_;
};

}  // namespace pawl::base
