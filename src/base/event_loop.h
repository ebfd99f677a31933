// One thread that waits for descriptors, for a time, and for work handed to it from other threads.
//
// Everything a client does in the background happens here, and nothing here ever blocks: so the
// timer that tells a holder of its loss is on time whatever the network does.
#pragma once

#include "base/clock.h"
#include "base/unique_fd.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace pawl::base {

class event_loop {
public:
    using task = std::function<void()>;
    using ready_handler = std::function<void()>;

    event_loop();
    ~event_loop() { stop(); }

    // Starts the thread.
    void start();

    // Stops the thread, joins it, and closes all descriptors, unless that was done before. Not from
    // the thread itself. Tasks that did not run by then never will; post() and set_alarm() do nothing
    // from then on.
    void stop();

    event_loop(const event_loop&) = delete;
    event_loop& operator=(const event_loop&) = delete;

    // From any thread: runs `work` on the loop's thread.
    void post(task work);

    // From any thread: `handler` runs on the loop's thread at `when`, or soon after. There is one
    // such alarm; ringing or setting it again forgets the former time.
    void set_alarm(boot_time when);
    void on_alarm(task handler);  // before start()

    // On the loop's thread only. At most one watch for a descriptor; it fires as long as the
    // descriptor is ready. `events` as for epoll(7): EPOLLIN, EPOLLOUT.
    void watch(int fd, std::uint32_t events, ready_handler handler);
    void change(int fd, std::uint32_t events);
    void unwatch(int fd);

    // On the loop's thread only: timers, for any number of times. Equal handles never recur.
    using timer = std::pair<boot_time, std::uint64_t>;
    timer call_at(boot_time when, task work);
    void cancel(const timer& handle);

private:
    void run();
    void wait_once();
    void run_posted();
    void run_timers();
    void control(int operation, int fd, std::uint32_t events, const char* what) const;

    unique_fd epoll_;
    task alarm_handler_;

    std::mutex mutex_;
    unique_fd wake_up_;         // guarded by mutex_ in other threads; none when stopped
    unique_fd alarm_;           // likewise
    std::vector<task> posted_;  // guarded by mutex_
    bool stopping_ = false;     // guarded by mutex_

    // The loop thread's own.
    std::map<int, std::shared_ptr<ready_handler>> watches_;
    std::map<timer, task> timers_;
    std::uint64_t last_timer_ = 0;

    std::thread thread_;  // last: it runs on all of the above
};

}  // namespace pawl::base
