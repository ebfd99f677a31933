#include "base/event_loop.h"

#include "base/epoll.h"
#include "base/signal_free_thread.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

namespace pawl::base {
namespace {

// After a guest has left, the next one is expected within this time.
constexpr std::chrono::milliseconds guest_return_window{1};

}  // namespace

event_loop::event_loop(const platform& platform)
    : platform_{&platform},
      epoll_{new_epoll()},
      short_epoll_{new_epoll()},
      guest_epoll_{new_epoll()},
      wake_up_{new_event()},
      guest_wake_up_{new_event()},
      alarm_{new_timer()},
      alarm_fd_{alarm_.get()},
      guest_wake_up_fd_{guest_wake_up_.get()}
{
    // Edge-triggered: each signal wakes once, and the counter need not be read.
    for (const auto* const each : {&epoll_, &short_epoll_}) {
        watch_all(*each, wake_up_.get(), EPOLLIN | EPOLLET);
        watch_all(*each, alarm_.get(), EPOLLIN);
    }
    watch_all(guest_epoll_, guest_wake_up_.get(), EPOLLIN | EPOLLET);
}

void event_loop::start()
{
    thread_ = signal_free_thread([this] { run(); });
}

void event_loop::stop()
{
    if (!thread_.joinable()) return;
    {
        const common::scoped_lock guard{mutex_};
        stopping_ = true;
        rouse();
        signal_event(guest_wake_up_.get());
    }
    thread_.join();
    // The tasks that are left never run. They are destroyed after the mutexes are unlocked, because
    // their destructors may call back.
    std::vector<task> left;
    {
        common::unique_lock held{mutex_};
        guest_left_.wait(held, [this]() PAWL_REQUIRES(mutex_) { return !has_guest_; });
    }
    // Another thread may still run what it began before: run_or_post().
    const common::scoped_lock running{turn_};
    {
        const common::scoped_lock guard{mutex_};
        for (auto* const each :
             {&wake_up_, &guest_wake_up_, &alarm_, &epoll_, &short_epoll_, &guest_epoll_}) {
            each->reset();
        }
        left.swap(posted_);
    }
    timers_.clear();
}

void event_loop::post(task work)
{
    const common::scoped_lock guard{mutex_};
    if (!wake_up_) return;
    posted_.push_back(std::move(work));
    if (!in_turn_) rouse();
}

void event_loop::rouse()
{
    if (!wake_up_ || std::exchange(roused_, true)) return;
    signal_event(wake_up_.get());
}

void event_loop::on_alarm(task handler)
{
    alarm_handler_ = std::move(handler);
}

void event_loop::set_alarm(boot_time when)
{
    const common::scoped_lock guard{mutex_};
    alarm_at_ = when;
    arm();
}

void event_loop::clock_moved()
{
    {
        const common::scoped_lock guard{mutex_};
        arm();
    }
    post([] {});  // the loop looks at its timers again
}

boot_time event_loop::next_due()
{
    const common::scoped_lock guard{mutex_};
    if (!wake_up_) return boot_time::max();
    return posted_.empty() && !in_turn_ ? std::min(next_timer_, alarm_at_) : boot_time::min();
}

void event_loop::arm()
{
    using namespace std::chrono;
    if (!alarm_) return;
    itimerspec spec{};  // zero disarms it
    if (alarm_at_ != boot_time::max()) {
        const auto left = alarm_at_ - platform_->now();
        const auto real = boot_clock::now() + left;
        const auto ns = std::max(real.time_since_epoch(), nanoseconds{1});
        const auto s = floor<seconds>(ns);
        spec.it_value = {s.count(), (ns - s).count()};
    }
    if (::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &spec, nullptr) != 0) {
        throw_last_error("timerfd_settime");
    }
}

void event_loop::watch(int fd, std::uint32_t events, ready_handler handler)
{
    assert_in_turn();
    watches_[fd] = std::make_shared<ready_handler>(std::move(handler));
    add(fd, events);
    const common::scoped_lock guard{mutex_};
    watched_ = watches_.size();
}

// An exclusive watch cannot be modified, so it is removed and added again.
void event_loop::change(int fd, std::uint32_t events)
{
    remove(fd);
    add(fd, events);
}

void event_loop::unwatch(int fd)
{
    assert_in_turn();
    if (watches_.erase(fd) == 0) return;
    remove(fd);
    const common::scoped_lock guard{mutex_};
    watched_ = watches_.size();
}

// One waiter is woken: the first that was added and is waiting. So it is the guest if there is one,
// and otherwise the loop's own thread. If the kernel wakes both, one of them finds nothing to do.
void event_loop::add(int fd, std::uint32_t events) const
{
    watch_exclusively(guest_epoll_, fd, events);
    watch_exclusively(epoll_, fd, events);
}

// Fails only if the descriptor is not watched.
void event_loop::remove(int fd) const noexcept
{
    ::epoll_ctl(guest_epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

event_loop::timer event_loop::call_at(boot_time when, task work)
{
    assert_in_turn();
    const timer handle{when, ++last_timer_};
    timers_.emplace(handle, std::move(work));
    return handle;
}

void event_loop::cancel(const timer& handle)
{
    assert_in_turn();
    timers_.erase(handle);
}

void event_loop::run()
{
    found_events room{};
    while (true) {
        const auto next = fall_asleep();
        if (!next) return;
        const int timeout = poll_timeout(next->until, platform_->now());
        const auto ready = wait_on(*next->epoll, room, timeout, nullptr);
        if (ready.empty()) {
            // Mostly the end of a short nap. A turn without work could make a guest wait for its own.
            const common::scoped_lock guard{mutex_};
            if (posted_.empty() && next_timer_ > platform_->now()) continue;
        }
        take_turn(ready, who::own_thread);
    }
}

// Nothing if the loop must end.
std::optional<event_loop::nap> event_loop::fall_asleep()
{
    const common::scoped_lock guard{mutex_};
    if (stopping_) return std::nullopt;
    asleep_until_ = posted_.empty() ? next_timer_ : boot_time::min();
    const auto now = platform_->now();
    left_to_guests_ = leaves_it_to_guests(now);
    // A guest need not wake it for a timer that is later than the end of its nap.
    if (left_to_guests_) asleep_until_ = std::min(asleep_until_, now + guest_return_window);
    return nap{asleep_until_, left_to_guests_ ? &short_epoll_ : &epoll_};
}

bool event_loop::leaves_it_to_guests(boot_time now) const
{
    return now - guest_moved_ < guest_return_window && other_helpers_ == 0 && own_thread_only_ == 0;
}

// False if the guest is refused.
bool event_loop::take_turn(ready_list ready, who mine) noexcept
{
    const common::scoped_lock running{turn_};
    return run_turn(ready, mine);
}

bool event_loop::run_turn(ready_list ready, who mine) noexcept
{
    if (!begin_turn(ready, mine)) return false;
    for (const auto& each : ready) handle(each.data.fd);
    run_posted(mine);
    if (mine == who::own_thread) run_timers();
    end_turn(mine);
    return true;
}

bool event_loop::begin_turn(ready_list ready, who mine)
{
    const common::scoped_lock guard{mutex_};
    if (mine == who::own_thread) {
        roused_ = false;
        asleep_until_ = boot_time::min();
    } else if (is_refused(mine)) {
        // The kernel reported these descriptors to this guest only.
        for (const auto& each : ready) {
            posted_.emplace_back([this, fd = each.data.fd]() PAWL_REQUIRES(turn_) { handle(fd); });
        }
        rouse();
        return false;
    }
    in_turn_ = true;
    return true;
}

void event_loop::end_turn(who mine)
{
    const common::scoped_lock guard{mutex_};
    in_turn_ = false;
    next_timer_ = timers_.empty() ? boot_time::max() : timers_.begin()->first.first;
    if (mine == who::guest && (!posted_.empty() || next_timer_ < asleep_until_)) rouse();
}

void event_loop::handle(int fd)
{
    if (fd == alarm_fd_) {
        std::uint64_t count{};
        [[maybe_unused]] const auto got = ::read(fd, &count, sizeof count);  // makes it unreadable
        ring();
    } else if (const auto found = watches_.find(fd); found != watches_.end()) {
        // A copy: the handler may remove its own watch.
        const auto handler = found->second;
        (*handler)();
    }
}

void event_loop::ring()
{
    {
        const common::scoped_lock guard{mutex_};
        // If the alarm was set again after it expired, the new time is still to come.
        if (alarm_at_ <= platform_->now()) alarm_at_ = boot_time::max();
    }
    if (alarm_handler_) alarm_handler_();
}

void event_loop::run_posted(who mine)
{
    // A second pass for the tasks that these tasks post: they send the requests.
    for (int pass = 0; pass < 2 && take_posted(mine); ++pass) {
        for (const auto& each : running_) each();
        running_.clear();
    }
}

bool event_loop::take_posted(who mine)
{
    const common::scoped_lock guard{mutex_};
    if (posted_.empty() || is_refused(mine)) return false;
    running_.swap(posted_);
    return true;
}

void event_loop::run_timers()
{
    const auto now = platform_->now();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
        auto node = timers_.extract(timers_.begin());
        node.mapped()();
    }
}

bool event_loop::is_refused(who mine) const
{
    return mine == who::guest && (stopping_ || own_thread_only_ > 0);
}

}  // namespace pawl::base
