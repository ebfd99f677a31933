// The event loop's guests: threads that wait for the result of a task, and run tasks meanwhile.
#include "base/epoll.h"
#include "base/event_loop.h"
#include "base/signals_blocked.h"

#include <algorithm>

namespace pawl::base {

void event_loop::own_thread_only(bool now)
{
    const common::scoped_lock guard{mutex_};
    own_thread_only_ += now ? 1U : -1U;
    if (!now || own_thread_only_ > 1) return;
    if (left_to_guests_) rouse();
    if (has_guest_ && guest_wake_up_) signal_event(guest_wake_up_.get());
}

void event_loop::wake_guest()
{
    const common::scoped_lock guard{mutex_};
    if (guest_wake_up_) signal_event(guest_wake_up_.get());
}

// While this object exists, the calling thread is the guest, if that is allowed.
class event_loop::visit {
public:
    explicit visit(event_loop& where) : where_{&where}
    {
        const auto now = where_->platform_->now();
        const common::scoped_lock guard{where_->mutex_};
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
        const common::scoped_lock guard{where_->mutex_};
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
    // It was refused as a guest.
    return here.sleep(until, woken);
}

// Like platform::sleep(). Nothing if the thread may not be the guest any longer.
std::optional<bool> event_loop::wait_as_guest(const platform& here, boot_time until,
                                              const std::stop_token& woken)
{
    // Mostly the guest is woken by a task that it runs itself. Then no signal is needed.
    const std::stop_callback wake{woken, [this, me = std::this_thread::get_id()] {
                                      if (std::this_thread::get_id() != me) wake_guest();
                                  }};
    // A signal handler of the user must not interrupt a task and delay everyone.
    const signals_blocked signals;
    // At most this long at a time: this clock stops while the machine is suspended.
    constexpr std::chrono::minutes longest{1};
    found_events room{};
    while (!woken.stop_requested()) {
        const auto now = here.now();
        if (now >= until) return true;
        const auto timeout = poll_timeout(std::min(until, now + longest), now);
        const auto ready = wait_on(guest_epoll_, room, timeout, &signals.before());
        const bool just_called = ready.size() == 1 && ready[0].data.fd == guest_wake_up_fd_;
        const bool may_stay =
            ready.empty() || just_called ? may_have_guest() : take_turn(ready, who::guest);
        if (!may_stay) return std::nullopt;
    }
    return false;
}

void event_loop::run_or_post(task work)
{
    {
        const common::scoped_lock guard{mutex_};
        if (!wake_up_) return;
        posted_.push_back(std::move(work));
        // The thread whose turn it is will see the task.
        if (in_turn_) return;
        if (is_refused(who::guest)) {
            rouse();
            return;
        }
    }
    const signals_blocked signals;
    if (turn_.try_lock()) {
        run_turn({}, who::guest);
        turn_.unlock();
        return;
    }
    // Another thread's turn has just begun, or is about to end. It is not waited for: it may run the code of a user who
    // waits for this thread.
    const common::scoped_lock guard{mutex_};
    if (!in_turn_) rouse();
}

bool event_loop::may_have_guest()
{
    const common::scoped_lock guard{mutex_};
    return !is_refused(who::guest);
}

}  // namespace pawl::base
