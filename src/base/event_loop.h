// A thread that waits for descriptors, for a time, and for work from other threads.
//
// Everything that a client does in the background happens here, and nothing here ever blocks. So
// the timer that tells a holder of a loss is on time, whatever the network does.
//
// A thread that waits for the result of a task can help: help(). It is called a guest. While it
// waits, the descriptors wake it instead of the loop's own thread. So its result need not be passed
// from one thread to another, which would take longer than the rest of the work. There is one guest
// at a time. The loop's own thread keeps waiting beside it, so that it need not be told when the
// guest comes or leaves:
//
//                          own thread       guest
//   a descriptor is ready  if no guest      first
//   work was posted        yes              what was posted in its own turn
//   timers, the alarm      yes              no
//
// Before it waits, such a thread can also begin its task itself: run_or_post(). This may happen while another thread is
// the guest.
//
// When guests come and go all the time, as when a lock is passed back and forth, a reply may arrive
// just before its guest does. If the own thread was woken in this case, it leaves the descriptors
// to the guests, until no guest has come or left for a millisecond, or another thread waits for the
// result of a task.
//
// In any case one task runs at a time, after all tasks before it. "On the loop" below means: in a
// task, in any thread.
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

    // The loop uses the clock of `platform`, which must outlive it.
    explicit event_loop(const platform& platform);
    ~event_loop() override { stop(); }
    event_loop(const event_loop&) = delete;
    event_loop& operator=(const event_loop&) = delete;

    // Starts the thread.
    void start() override;

    // Joins the thread, refuses guests, and closes all descriptors.
    void stop() override;

    void post(task work) override PAWL_EXCLUDES(mutex_);
    void set_alarm(boot_time when) override;
    void on_alarm(task handler) override;
    timer call_at(boot_time when, task work) override;
    void cancel(const timer& handle) override;
    [[nodiscard]] bool help(platform& here, boot_time until, const std::stop_token& woken) override;

    void run_or_post(task work) override PAWL_EXCLUDES(mutex_);

    void own_thread_only(bool now) override;

    void clock_moved() override PAWL_EXCLUDES(mutex_);
    [[nodiscard]] boot_time next_due() override;

    // On the loop only. There is at most one watch for a descriptor. Its handler is called when the
    // descriptor has become ready, and must read or write until that would block. It may be called
    // although nothing is ready. `events` as for epoll(7): EPOLLIN, EPOLLOUT.
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
    void rouse() PAWL_REQUIRES(mutex_);  // wakes the own thread
    void wake_guest();
    [[nodiscard]] bool may_have_guest();
    [[nodiscard]] std::optional<bool> wait_as_guest(const platform& here, boot_time until,
                                                    const std::stop_token& woken);
    void run();
    [[nodiscard]] std::optional<nap> fall_asleep();
    [[nodiscard]] bool leaves_it_to_guests(boot_time now) const PAWL_REQUIRES(mutex_);
    bool take_turn(ready_list ready, who mine) noexcept;
    bool run_turn(ready_list ready, who mine) noexcept PAWL_REQUIRES(turn_);
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
    common::unique_fd short_epoll_;  // the same without the watched descriptors
    common::unique_fd guest_epoll_;  // of the guest: the watched descriptors
    task alarm_handler_;

    common::mutex mutex_;
    // The descriptors are closed when the loop is stopped.
    common::unique_fd wake_up_ PAWL_GUARDED_BY(mutex_);
    common::unique_fd guest_wake_up_ PAWL_GUARDED_BY(mutex_);
    common::unique_fd alarm_ PAWL_GUARDED_BY(mutex_);
    // The numbers of two of them, which a turn and the guest compare with. stop() closes the descriptors
    // after both have ended.
    const int alarm_fd_;
    const int guest_wake_up_fd_;
    boot_time alarm_at_ PAWL_GUARDED_BY(mutex_) = boot_time::max();    // max() after it has expired
    boot_time next_timer_ PAWL_GUARDED_BY(mutex_) = boot_time::max();  // between two turns
    boot_time asleep_until_ PAWL_GUARDED_BY(mutex_) = boot_time::min();  // of the own thread
    bool roused_ PAWL_GUARDED_BY(mutex_) = false;  // it was woken and has not noticed it yet
    // A thread runs tasks, and looks for posted tasks afterwards.
    bool in_turn_ PAWL_GUARDED_BY(mutex_) = false;
    std::vector<task> posted_ PAWL_GUARDED_BY(mutex_);
    bool stopping_ PAWL_GUARDED_BY(mutex_) = false;
    bool has_guest_ PAWL_GUARDED_BY(mutex_) = false;
    boot_time guest_moved_ PAWL_GUARDED_BY(mutex_){};      // when a guest last came or left
    bool left_to_guests_ PAWL_GUARDED_BY(mutex_) = false;  // the watched descriptors
    // Threads that could not become the guest, because there is one.
    unsigned other_helpers_ PAWL_GUARDED_BY(mutex_) = 0;
    unsigned own_thread_only_ PAWL_GUARDED_BY(mutex_) = 0;
    std::size_t watched_ PAWL_GUARDED_BY(mutex_) = 0;
    common::condition_variable guest_left_;

    // The thread that holds this mutex runs tasks.
    common::mutex turn_;
    std::map<int, std::shared_ptr<ready_handler>> watches_ PAWL_GUARDED_BY(turn_);
    std::map<timer, task> timers_ PAWL_GUARDED_BY(turn_);
    std::uint64_t last_timer_ PAWL_GUARDED_BY(turn_) = 0;
    std::vector<task> running_ PAWL_GUARDED_BY(turn_);  // a member, to reuse its memory

    std::thread thread_;  // last, because it uses all of the above
};

}  // namespace pawl::base
