#include "base/event_loop.h"

#include "base/signal_free_thread.h"

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

unique_fd checked(int fd, const char* what)
{
    if (fd < 0) fail(what);
    return unique_fd{fd};
}

void drain(int fd)
{
    std::uint64_t count{};
    // Both an eventfd and a timerfd are emptied by one read; EAGAIN says that they were.
    [[maybe_unused]] const auto got = ::read(fd, &count, sizeof count);
}

}  // namespace

event_loop::event_loop(const platform& platform)
    : platform_{&platform},
      epoll_{checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")},
      wake_up_{checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")},
      // Counts time spent suspended, and rings at once on waking up.
      alarm_{
          checked(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")}
{
    control(EPOLL_CTL_ADD, wake_up_.get(), EPOLLIN, "epoll_ctl add");
    control(EPOLL_CTL_ADD, alarm_.get(), EPOLLIN, "epoll_ctl add");
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
    }
    post([] {});
    thread_.join();
    const std::scoped_lock guard{mutex_};
    wake_up_.reset();
    alarm_.reset();
    epoll_.reset();
}

void event_loop::post(task work)
{
    const std::scoped_lock guard{mutex_};
    if (!wake_up_) return;
    posted_.push_back(std::move(work));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_up_.get(), &one, sizeof one);
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
    return posted_.empty() ? std::min(asleep_until_, alarm_at_) : boot_time::min();
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
    control(EPOLL_CTL_ADD, fd, events, "epoll_ctl add");
}

void event_loop::change(int fd, std::uint32_t events)
{
    control(EPOLL_CTL_MOD, fd, events, "epoll_ctl mod");
}

void event_loop::unwatch(int fd)
{
    if (watches_.erase(fd) != 0) control(EPOLL_CTL_DEL, fd, 0, "epoll_ctl del");
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

void event_loop::control(int operation, int fd, std::uint32_t events, const char* what) const
{
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0) fail(what);
}

void event_loop::run()
{
    while (true) {
        {
            const std::scoped_lock guard{mutex_};
            if (stopping_) return;
        }
        wait_once();
        run_posted();
        run_timers();
    }
}

void event_loop::wait_once()
{
    std::array<epoll_event, 16> events{};
    const auto next = fall_asleep();
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                   poll_timeout(next, platform_->now()));
    woke_up();
    for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == wake_up_.get()) {
            drain(fd);
        } else if (fd == alarm_.get()) {
            drain(fd);
            ring();
        } else if (const auto found = watches_.find(fd); found != watches_.end()) {
            // A copy: the handler may end its own watch.
            const auto handler = found->second;
            (*handler)();
        }
    }
}

boot_time event_loop::fall_asleep()
{
    const auto next = timers_.empty() ? boot_time::max() : timers_.begin()->first.first;
    const std::scoped_lock guard{mutex_};
    asleep_until_ = next;
    return next;
}

void event_loop::woke_up()
{
    const std::scoped_lock guard{mutex_};
    asleep_until_ = boot_time::min();
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

void event_loop::run_posted()
{
    std::vector<task> work;
    {
        const std::scoped_lock guard{mutex_};
        work.swap(posted_);
    }
    for (const auto& each : work) each();
}

void event_loop::run_timers()
{
    const auto now = platform_->now();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
        auto node = timers_.extract(timers_.begin());
        node.mapped()();
    }
}

}  // namespace pawl::base
