// One thread that waits for descriptors, for a time, and for work handed to it from other threads.
//
// Everything a client does in the background happens here, and nothing here ever blocks: so the
// timer that tells a holder of its loss is on time whatever the network does.
//
// A thread that waits for something to happen here can lend itself: help(). While it waits it is woken
// by the descriptors in place of the loop's own thread, and what it waits for need not be passed on
// from one thread to another, which takes longer than all else about it. There is one such guest at a
// time. The loop's own thread goes on waiting beside it, so nobody has to be told when the guest comes
// or goes:
//
//                          own thread       guest
//   a descriptor is ready  if no guest      first
//   work was posted        yes              what was posted in its own turn
//   timers, the alarm      yes              no
//
// Where guests come and go all the time, as when a lock is passed back and forth, what one waits for
// may come just before he does. If the own thread was woken then it leaves the descriptors to the guests,
// until for a millisecond none has come or gone, or someone else waits for what happens here.
//
// Whoever it is, one task runs at a time, after all that ran before it. "On the loop" below means in a
// task, in whatever thread.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"
#include "common/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

struct epoll_event;

namespace pawl::base {

class event_loop final : public clocked_scheduler {
public:
    using ready_handler = std::function<void()>;

    // `platform`, whose clock it goes by, must outlive the loop.
    explicit event_loop(const platform& platform);
    ~event_loop() override { stop(); }
    event_loop(const event_loop&) = delete;
    event_loop& operator=(const event_loop&) = delete;

    // Starts the thread.
    void start() override;

    // Joins the thread, sends a guest away, and closes all descriptors.
    void stop() override;

    void post(task work) override PAWL_EXCLUDES(mutex_);
    void set_alarm(boot_time when) override;
    void on_alarm(task handler) override;
    timer call_at(boot_time when, task work) override;
    void cancel(const timer& handle) override;
    [[nodiscard]] bool help(platform& here, boot_time until, const std::stop_token& woken) override;

    void own_thread_only(bool now) override;

    void clock_moved() override PAWL_EXCLUDES(mutex_);
    [[nodiscard]] boot_time next_due() override;

    // On the loop only. At most one watch for a descriptor; its handler is called when that has become
    // ready, and must take all that there is. It may be called for nothing. `events` as for epoll(7):
    // EPOLLIN, EPOLLOUT.
    void watch(int fd, std::uint32_t events, ready_handler handler);
    void change(int fd, std::uint32_t events);
    void unwatch(int fd);

private:
    enum class who { own_thread, guest };
    using ready_list = std::span<const epoll_event>;
    class visit;
    struct nap {
        boot_time until;
        const common::unique_fd* epoll{};
    };

    void arm() PAWL_REQUIRES(mutex_);
    void rouse() PAWL_REQUIRES(mutex_);  // the own thread
    void wake_guest();
    [[nodiscard]] bool may_have_guest();
    [[nodiscard]] std::optional<bool> wait_as_guest(const platform& here, boot_time until,
                                                    const std::stop_token& woken);
    void run();
    [[nodiscard]] std::optional<nap> fall_asleep();
    [[nodiscard]] bool leaves_it_to_guests(boot_time now) const PAWL_REQUIRES(mutex_);
    bool take_turn(ready_list ready, who mine) noexcept;
    [[nodiscard]] bool begin_turn(ready_list ready, who mine) PAWL_REQUIRES(turn_);
    void end_turn(who mine) PAWL_REQUIRES(turn_);
    void handle(int fd) PAWL_REQUIRES(turn_);
    void run_posted(who mine) PAWL_REQUIRES(turn_);
    [[nodiscard]] bool take_posted(who mine) PAWL_REQUIRES(turn_);
    void run_timers() PAWL_REQUIRES(turn_);
    void ring();
    // For what tasks call: the analysis cannot see that they run in a turn.
    void assert_in_turn() const PAWL_ASSERTS_HELD(turn_) {}
    void add(int fd, std::uint32_t events) const;
    void remove(int fd) const noexcept;
    [[nodiscard]] bool is_refused(who mine) const PAWL_REQUIRES(mutex_);

    const platform* platform_;
    common::unique_fd epoll_;        // of the own thread: everything
    common::unique_fd short_epoll_;  // the same without what is watched
    common::unique_fd guest_epoll_;  // of the guest: what is watched
    task alarm_handler_;

    common::mutex mutex_;
    // The descriptors are none when stopped.
    common::unique_fd wake_up_ PAWL_GUARDED_BY(mutex_);
    common::unique_fd guest_wake_up_ PAWL_GUARDED_BY(mutex_);
    common::unique_fd alarm_ PAWL_GUARDED_BY(mutex_);
    // Their numbers, to compare with, in a turn and by the guest: stop() closes them after both.
    const int alarm_fd_;
    const int guest_wake_up_fd_;
    boot_time alarm_at_ PAWL_GUARDED_BY(mutex_) = boot_time::max();      // max() once it has rung
    boot_time next_timer_ PAWL_GUARDED_BY(mutex_) = boot_time::max();    // between two turns
    boot_time asleep_until_ PAWL_GUARDED_BY(mutex_) = boot_time::min();  // the own thread
    bool roused_ PAWL_GUARDED_BY(mutex_) = false;  // and it has not noticed yet
    // Someone runs tasks, and looks for posted ones after that.
    bool in_turn_ PAWL_GUARDED_BY(mutex_) = false;
    std::vector<task> posted_ PAWL_GUARDED_BY(mutex_);
    bool stopping_ PAWL_GUARDED_BY(mutex_) = false;
    bool has_guest_ PAWL_GUARDED_BY(mutex_) = false;
    boot_time guest_moved_ PAWL_GUARDED_BY(mutex_){};      // when one last came or went
    bool left_to_guests_ PAWL_GUARDED_BY(mutex_) = false;  // what is watched
    // Those that would be guests, if there were not one.
    unsigned other_helpers_ PAWL_GUARDED_BY(mutex_) = 0;
    unsigned own_thread_only_ PAWL_GUARDED_BY(mutex_) = 0;
    std::size_t watched_ PAWL_GUARDED_BY(mutex_) = 0;
    common::condition_variable guest_left_;

    // Whose turn it is: he has all that follows, and runs tasks.
    common::mutex turn_;
    std::map<int, std::shared_ptr<ready_handler>> watches_ PAWL_GUARDED_BY(turn_);
    std::map<timer, task> timers_ PAWL_GUARDED_BY(turn_);
    std::uint64_t last_timer_ PAWL_GUARDED_BY(turn_) = 0;
    std::vector<task> running_ PAWL_GUARDED_BY(turn_);  // kept for its memory

    std::thread thread_;  // last: it runs on all of the above
};

}  // namespace pawl::base
