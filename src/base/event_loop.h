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
#include "common/unique_fd.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
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

    void post(task work) override;
    void set_alarm(boot_time when) override;
    void on_alarm(task handler) override;
    timer call_at(boot_time when, task work) override;
    void cancel(const timer& handle) override;
    [[nodiscard]] bool help(platform& here, boot_time until, const std::stop_token& woken) override;

    void own_thread_only(bool now) override;

    void clock_moved() override;
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

    void arm();    // mutex_ is held
    void rouse();  // wakes the own thread; mutex_ is held
    void wake_guest();
    [[nodiscard]] bool may_have_guest();
    [[nodiscard]] std::optional<bool> wait_as_guest(const platform& here, boot_time until,
                                                    const std::stop_token& woken);
    void run();
    [[nodiscard]] std::optional<nap> fall_asleep();
    [[nodiscard]] bool leaves_it_to_guests(boot_time now) const;  // mutex_ is held
    bool take_turn(ready_list ready, who mine) noexcept;
    [[nodiscard]] bool begin_turn(ready_list ready, who mine);
    void end_turn(who mine);
    void handle(int fd);
    void run_posted(who mine);
    [[nodiscard]] bool take_posted(who mine);
    void run_timers();
    void ring();
    void add(int fd, std::uint32_t events) const;
    void remove(int fd) const noexcept;
    [[nodiscard]] bool is_refused(who mine) const;  // mutex_ is held

    const platform* platform_;
    common::unique_fd epoll_;        // of the own thread: everything
    common::unique_fd short_epoll_;  // the same without the watched descriptors
    common::unique_fd guest_epoll_;  // of the guest: the watched descriptors
    task alarm_handler_;

    std::mutex mutex_;
    // These are guarded by mutex_. The descriptors are closed when the loop is stopped.
    common::unique_fd wake_up_;
    common::unique_fd guest_wake_up_;
    common::unique_fd alarm_;
    boot_time alarm_at_ = boot_time::max();      // max() after it has expired
    boot_time next_timer_ = boot_time::max();    // between two turns
    boot_time asleep_until_ = boot_time::min();  // of the own thread
    bool roused_ = false;                        // it was woken and has not noticed it yet
    bool in_turn_ = false;  // a thread runs tasks, and looks for posted tasks afterwards
    std::vector<task> posted_;
    bool stopping_ = false;
    bool has_guest_ = false;
    boot_time guest_moved_{};      // when a guest last came or left
    bool left_to_guests_ = false;  // the watched descriptors
    unsigned other_helpers_ = 0;   // threads that could not become the guest, because there is one
    unsigned own_thread_only_ = 0;
    std::size_t watched_ = 0;
    std::condition_variable guest_left_;

    // The thread that holds this mutex runs tasks, and owns all members below.
    std::mutex turn_;
    std::map<int, std::shared_ptr<ready_handler>> watches_;
    std::map<timer, task> timers_;
    std::uint64_t last_timer_ = 0;
    std::vector<task> running_;  // a member, to reuse its memory

    std::thread thread_;  // last, because it uses all of the above
};

}  // namespace pawl::base
