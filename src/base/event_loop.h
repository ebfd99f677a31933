// One thread that waits for descriptors, for a time, and for work handed to it from other threads.
//
// Everything a client does in the background happens here, and nothing here ever blocks: so the
// timer that tells a holder of its loss is on time whatever the network does.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "base/unique_fd.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace pawl::base {

class event_loop final : public scheduler {
public:
    using ready_handler = std::function<void()>;

    // `platform`, whose clock it goes by, must outlive the loop.
    explicit event_loop(const platform& platform);
    ~event_loop() override { stop(); }
    event_loop(const event_loop&) = delete;
    event_loop& operator=(const event_loop&) = delete;

    // Starts the thread.
    void start() override;

    // Joins the thread and closes all descriptors.
    void stop() override;

    void post(task work) override;
    void set_alarm(boot_time when) override;
    void on_alarm(task handler) override;
    timer call_at(boot_time when, task work) override;
    void cancel(const timer& handle) override;

    // On the loop's thread only. At most one watch for a descriptor; it fires as long as the
    // descriptor is ready. `events` as for epoll(7): EPOLLIN, EPOLLOUT.
    void watch(int fd, std::uint32_t events, ready_handler handler);
    void change(int fd, std::uint32_t events);
    void unwatch(int fd);

    // From any thread: the platform's clock was moved, so the times to come are nearer or further.
    void clock_moved();

    // From any thread: when it next has something to do. boot_time::min() if it is doing something
    // now or has work posted; boot_time::max() if nothing is planned, or it was stopped.
    // Descriptors are left out.
    [[nodiscard]] boot_time next_due();

private:
    void arm();  // mutex_ is held
    void run();
    void wait_once();
    void run_posted();
    void run_timers();
    [[nodiscard]] boot_time fall_asleep();  // until when
    void woke_up();
    void ring();
    void control(int operation, int fd, std::uint32_t events, const char* what) const;

    const platform* platform_;
    unique_fd epoll_;
    task alarm_handler_;

    std::mutex mutex_;
    unique_fd wake_up_;  // guarded by mutex_ in other threads; none when stopped
    unique_fd alarm_;    // likewise
    boot_time alarm_at_ = boot_time::max();      // guarded by mutex_; max() once it has rung
    boot_time asleep_until_ = boot_time::max();  // guarded by mutex_; min() while awake
    std::vector<task> posted_;                   // guarded by mutex_
    bool stopping_ = false;                      // guarded by mutex_

    // The loop thread's own.
    std::map<int, std::shared_ptr<ready_handler>> watches_;
    std::map<timer, task> timers_;
    std::uint64_t last_timer_ = 0;

    std::thread thread_;  // last: it runs on all of the above
};

}  // namespace pawl::base
