#include "base/event_loop.h"

#include "base/signal_free_thread.h"
#include "base/signals_blocked.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace pawl::base {
namespace {

[[noreturn]] void fail(const char* what)
{
    throw std::system_error{errno, std::system_category(), what};
}

common::unique_fd new_epoll()
{
    return {::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"};
}

common::unique_fd new_event()
{
    return {::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"};
}

void signal(int event)
{
    const std::uint64_t one = 1;
    // Can only fail when the counter is full; nobody counts so far.
    [[maybe_unused]] const auto written = ::write(event, &one, sizeof one);
}

void control(const common::unique_fd& epoll, int operation, int fd, std::uint32_t events)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    if (::epoll_ctl(epoll.get(), operation, fd, &event) != 0) fail("epoll_ctl");
}

// An epoll instance cannot be watched so. Then all who wait are woken.
void control_exclusively(const common::unique_fd& epoll, int fd, std::uint32_t events)
{
    epoll_event event{};
    event.events = events | EPOLLEXCLUSIVE;
    event.data.fd = fd;
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0) return;
    if (errno != EINVAL) fail("epoll_ctl");
    control(epoll, EPOLL_CTL_ADD, fd, events);
}

// A guest who has left is expected back for so long.
constexpr std::chrono::milliseconds to_come_back{1};

// What one look may find; what there is beyond that the next look does.
using found = std::array<epoll_event, 16>;

std::span<const epoll_event> wait_on(const common::unique_fd& epoll, found& room, int timeout,
                                     const sigset_t* mask)
{
    const int count =
        ::epoll_pwait(epoll.get(), room.data(), static_cast<int>(room.size()), timeout, mask);
    // Else a signal came.
    return std::span{room}.first(count > 0 ? static_cast<std::size_t>(count) : 0);
}

}  // namespace

event_loop::event_loop(const platform& platform)
    : platform_{&platform},
      epoll_{new_epoll()},
      short_epoll_{new_epoll()},
      guest_epoll_{new_epoll()},
      wake_up_{new_event()},
      guest_wake_up_{new_event()},
      // Counts time spent suspended, and rings at once on waking up.
      alarm_{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create"}
{
    // Edges: each signal is heard once, and nobody has to read it.
    for (const auto* const each : {&epoll_, &short_epoll_}) {
        control(*each, EPOLL_CTL_ADD, wake_up_.get(), EPOLLIN | EPOLLET);
        control(*each, EPOLL_CTL_ADD, alarm_.get(), EPOLLIN);
    }
    control(guest_epoll_, EPOLL_CTL_ADD, guest_wake_up_.get(), EPOLLIN | EPOLLET);
}

void event_loop::start()
{
    thread_ = signal_free_thread([this] { run(); });
}

void event_loop::stop()
{
    if (!thread_.joinable()) return;
    {
        const std::scoped_lock guard{mutex_};
        stopping_ = true;
        rouse();
        signal(guest_wake_up_.get());
    }
    thread_.join();
    // What is left never runs; it may own others who are told of that in another way.
    std::vector<task> left;
    {
        std::unique_lock held{mutex_};
        guest_left_.wait(held, [this] { return !has_guest_; });
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
    const std::scoped_lock guard{mutex_};
    if (!wake_up_) return;
    posted_.push_back(std::move(work));
    if (!in_turn_) rouse();
}

void event_loop::rouse()
{
    if (!wake_up_ || std::exchange(roused_, true)) return;
    signal(wake_up_.get());
}

void event_loop::on_alarm(task handler)
{
    alarm_handler_ = std::move(handler);
}

void event_loop::set_alarm(boot_time when)
{
    const std::scoped_lock guard{mutex_};
    alarm_at_ = when;
    arm();
}

void event_loop::clock_moved()
{
    {
        const std::scoped_lock guard{mutex_};
        arm();
    }
    post([] {});  // the loop looks at its timers anew
}

boot_time event_loop::next_due()
{
    const std::scoped_lock guard{mutex_};
    if (!wake_up_) return boot_time::max();
    return posted_.empty() && !in_turn_ ? std::min(next_timer_, alarm_at_) : boot_time::min();
}

void event_loop::arm()
{
    using namespace std::chrono;
    if (!alarm_) return;
    itimerspec spec{};  // all zero disarms it
    if (alarm_at_ != boot_time::max()) {
        const auto left = alarm_at_ - platform_->now();
        const auto real = boot_clock::now() + left;
        const auto ns = std::max(real.time_since_epoch(), nanoseconds{1});
        const auto s = floor<seconds>(ns);
        spec.it_value = {s.count(), (ns - s).count()};
    }
    if (::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &spec, nullptr) != 0) {
        fail("timerfd_settime");
    }
}

void event_loop::watch(int fd, std::uint32_t events, ready_handler handler)
{
    watches_[fd] = std::make_shared<ready_handler>(std::move(handler));
    add(fd, events);
    const std::scoped_lock guard{mutex_};
    watched_ = watches_.size();
}

// An exclusive watch cannot be changed.
void event_loop::change(int fd, std::uint32_t events)
{
    remove(fd);
    add(fd, events);
}

void event_loop::unwatch(int fd)
{
    if (watches_.erase(fd) == 0) return;
    remove(fd);
    const std::scoped_lock guard{mutex_};
    watched_ = watches_.size();
}

// Of those that wait one is woken, and the first to be asked is who came first. So the guest is woken if
// there is one and waits, and else the own thread. Should a system wake both, one of them finds nothing.
void event_loop::add(int fd, std::uint32_t events) const
{
    control_exclusively(guest_epoll_, fd, events);
    control_exclusively(epoll_, fd, events);
}

// Can only fail when it is not there.
void event_loop::remove(int fd) const noexcept
{
    ::epoll_ctl(guest_epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

event_loop::timer event_loop::call_at(boot_time when, task work)
{
    const timer handle{when, ++last_timer_};
    timers_.emplace(handle, std::move(work));
    return handle;
}

void event_loop::cancel(const timer& handle)
{
    timers_.erase(handle);
}

void event_loop::run()
{
    found room{};
    while (true) {
        const auto next = fall_asleep();
        if (!next) return;
        const int timeout = poll_timeout(next->until, platform_->now());
        take_turn(wait_on(*next->epoll, room, timeout, nullptr), who::own_thread);
    }
}

// Nothing if it is to end.
std::optional<event_loop::nap> event_loop::fall_asleep()
{
    const std::scoped_lock guard{mutex_};
    if (stopping_) return std::nullopt;
    asleep_until_ = posted_.empty() ? next_timer_ : boot_time::min();
    const auto now = platform_->now();
    left_to_guests_ = leaves_it_to_guests(now);
    if (!left_to_guests_) return nap{asleep_until_, &epoll_};
    return nap{std::min(asleep_until_, now + to_come_back), &short_epoll_};
}

bool event_loop::leaves_it_to_guests(boot_time now) const
{
    return now - guest_moved_ < to_come_back && other_helpers_ == 0 && own_thread_only_ == 0;
}

// False if it was refused.
bool event_loop::take_turn(ready_list ready, who mine) noexcept
{
    const std::scoped_lock running{turn_};
    if (!begin_turn(ready, mine)) return false;
    for (const auto& each : ready) handle(each.data.fd);
    run_posted(mine);
    if (mine == who::own_thread) run_timers();
    end_turn(mine);
    return true;
}

bool event_loop::begin_turn(ready_list ready, who mine)
{
    const std::scoped_lock guard{mutex_};
    if (mine == who::own_thread) {
        roused_ = false;
        asleep_until_ = boot_time::min();
    } else if (is_refused(mine)) {
        // Nobody else was told of them.
        for (const auto& each : ready) {
            posted_.emplace_back([this, fd = each.data.fd] { handle(fd); });
        }
        rouse();
        return false;
    }
    in_turn_ = true;
    return true;
}

void event_loop::end_turn(who mine)
{
    const std::scoped_lock guard{mutex_};
    in_turn_ = false;
    next_timer_ = timers_.empty() ? boot_time::max() : timers_.begin()->first.first;
    if (mine == who::guest && (!posted_.empty() || next_timer_ < asleep_until_)) rouse();
}

void event_loop::handle(int fd)
{
    if (fd == alarm_.get()) {
        std::uint64_t count{};
        [[maybe_unused]] const auto got = ::read(fd, &count, sizeof count);  // so that it is over
        ring();
    } else if (const auto found = watches_.find(fd); found != watches_.end()) {
        // A copy: the handler may end its own watch.
        const auto handler = found->second;
        (*handler)();
    }
}

void event_loop::ring()
{
    {
        const std::scoped_lock guard{mutex_};
        // If it was set anew since it went off, it is still to come.
        if (alarm_at_ <= platform_->now()) alarm_at_ = boot_time::max();
    }
    if (alarm_handler_) alarm_handler_();
}

void event_loop::run_posted(who mine)
{
    // Once more for what they post in turn: that is the sending of what they asked.
    for (int pass = 0; pass < 2 && take_posted(mine); ++pass) {
        for (const auto& each : running_) each();
        running_.clear();
    }
}

bool event_loop::take_posted(who mine)
{
    const std::scoped_lock guard{mutex_};
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

void event_loop::own_thread_only(bool now)
{
    const std::scoped_lock guard{mutex_};
    own_thread_only_ += now ? 1U : -1U;
    if (!now || own_thread_only_ > 1) return;
    if (left_to_guests_) rouse();
    if (has_guest_ && guest_wake_up_) signal(guest_wake_up_.get());
}

void event_loop::wake_guest()
{
    const std::scoped_lock guard{mutex_};
    if (guest_wake_up_) signal(guest_wake_up_.get());
}

// From its making to its end the calling thread is the guest, if it may be.
class event_loop::visit {
public:
    explicit visit(event_loop& where) : where_{&where}
    {
        const auto now = where_->platform_->now();
        const std::scoped_lock guard{where_->mutex_};
        // Without descriptors there is nothing to help with.
        if (where_->watched_ == 0 || where_->is_refused(who::guest)) return;
        if (where_->has_guest_) {
            is_other_ = true;
            ++where_->other_helpers_;
            if (where_->left_to_guests_) where_->rouse();
        } else {
            is_guest_ = true;
            where_->has_guest_ = true;
            where_->guest_moved_ = now;
        }
    }
    ~visit()
    {
        if (!is_guest_ && !is_other_) return;
        const auto now = where_->platform_->now();
        const std::scoped_lock guard{where_->mutex_};
        if (is_other_) {
            --where_->other_helpers_;
            return;
        }
        where_->has_guest_ = false;
        where_->guest_moved_ = now;
        if (where_->stopping_) where_->guest_left_.notify_all();
    }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

    [[nodiscard]] bool is_guest() const noexcept { return is_guest_; }

private:
    event_loop* where_;
    bool is_guest_ = false;
    bool is_other_ = false;
};

bool event_loop::help(platform& here, boot_time until, const std::stop_token& woken)
{
    {
        const visit mine{*this};
        if (mine.is_guest()) {
            if (const auto end = wait_as_guest(here, until, woken)) return *end;
        } else {
            return here.sleep(until, woken);
        }
    }
    // It was sent away.
    return here.sleep(until, woken);
}

// As platform::sleep(); nothing if it may not stay.
std::optional<bool> event_loop::wait_as_guest(const platform& here, boot_time until,
                                              const std::stop_token& woken)
{
    // What it waits for mostly comes to pass in its own turn.
    const std::stop_callback wake{woken, [this, me = std::this_thread::get_id()] {
                                      if (std::this_thread::get_id() != me) wake_guest();
                                  }};
    // A handler of the user's must not keep everyone waiting in the midst of a task.
    const signals_blocked signals;
    // A while at a time: this clock stands still while the machine is suspended.
    constexpr std::chrono::minutes longest{1};
    found room{};
    while (!woken.stop_requested()) {
        const auto now = here.now();
        if (now >= until) return true;
        const auto timeout = poll_timeout(std::min(until, now + longest), now);
        const auto ready = wait_on(guest_epoll_, room, timeout, &signals.before());
        const bool just_called = ready.size() == 1 && ready[0].data.fd == guest_wake_up_.get();
        const bool may_stay =
            ready.empty() || just_called ? may_have_guest() : take_turn(ready, who::guest);
        if (!may_stay) return std::nullopt;
    }
    return false;
}

bool event_loop::may_have_guest()
{
    const std::scoped_lock guard{mutex_};
    return !is_refused(who::guest);
}

}  // namespace pawl::base
