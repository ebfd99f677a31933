#include "store/memory/timeline.h"

#include "base/thread_mark.h"

#include <algorithm>
#include <stop_token>
#include <thread>

namespace pawl::store::memory {

using base::boot_time;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

// How much real time other threads get to do what is due. Only a thread that is stuck needs more.
constexpr milliseconds usual_patience{1'000};
constexpr milliseconds patience_when_stuck{1};  // after a thread was found stuck
constexpr std::chrono::microseconds look_again{20};

}  // namespace

boot_time timeline::now() const noexcept
{
    return base::boot_clock::now() + added_.load();
}

std::chrono::microseconds timeline::wall() const noexcept
{
    return std::chrono::floor<std::chrono::microseconds>(wall_at_start_ + (now() - start_));
}

void timeline::join(base::clocked_scheduler& loop)
{
    const common::scoped_lock guard{mutex_};
    loops_.push_back(&loop);
}

void timeline::leave(base::clocked_scheduler& loop)
{
    const common::scoped_lock guard{mutex_};
    std::erase(loops_, &loop);
}

void timeline::join(const handlers& who)
{
    const common::scoped_lock guard{mutex_};
    handlers_.push_back(&who);
}

void timeline::leave(const handlers& who)
{
    const common::scoped_lock guard{mutex_};
    std::erase(handlers_, &who);
}

void timeline::call_begins()
{
    const auto me = base::thread_mark();
    common::unique_lock guard{mutex_};
    // advance() waits for this thread, so this thread must not wait for advance().
    if (!callers_.contains(me) && handlers::of_this_thread(*this) == nullptr) {
        changed_.wait(guard, [this]() PAWL_REQUIRES(mutex_) { return !advancing_; });
    }
    ++callers_[me].depth;
}

void timeline::call_ends() noexcept
{
    const common::scoped_lock guard{mutex_};
    const auto mine = callers_.find(base::thread_mark());
    if (--mine->second.depth == 0) callers_.erase(mine);
}

bool timeline::wait(boot_time until, const base::interrupt* stop, const std::function<bool()>& over)
{
    constexpr nanoseconds longest = std::chrono::hours{1};  // far below an overflow
    const auto token = stop != nullptr ? stop->token() : std::stop_token{};
    common::unique_lock guard{mutex_};
    const handlers::resting mark{*this};
    caller& mine = callers_.at(base::thread_mark());
    mine.until = until;
    mine.over = &over;
    mine.stop = &token;
    while (!over() && !token.stop_requested() && now() < until) {
        const auto added = added_.load();
        const auto real = std::chrono::steady_clock::now() + std::min(until - now(), longest);
        // When time has been moved, the remaining time is computed again.
        changed_.wait_until(guard, token, real, [&] { return over() || added != added_.load(); });
    }
    mine.until = boot_time::min();
    mine.over = nullptr;
    mine.stop = nullptr;
    return over() || !token.stop_requested();
}

void timeline::wake()
{
    const common::scoped_lock guard{mutex_};
    changed_.notify_all();
}

void timeline::advance(nanoseconds by)
{
    const turn mine{*this};
    auto patience = usual_patience;
    const auto all_done = [&] {
        if (settle(patience)) return true;
        patience = patience_when_stuck;
        return false;
    };
    bool quiet = all_done();
    while (by.count() > 0) {
        const auto present = now();
        // Work that became due since the last check is waited for too. Threads that are stuck are
        // not.
        const auto due = quiet ? next_due() : next_due_after(present);
        if (due > present) {
            const auto step = std::min(by, due - present);
            move(step);
            by -= step;
        }
        quiet = all_done();
    }
}

timeline::turn::turn(timeline& where) : where_{&where}
{
    common::unique_lock guard{where_->mutex_};
    const handlers::resting mark{*where_};
    where_->changed_.wait(guard,
                          [this]() PAWL_REQUIRES(where_->mutex_) { return !where_->advancing_; });
    where_->advancing_ = true;
}

timeline::turn::~turn()
{
    const common::scoped_lock guard{where_->mutex_};
    where_->advancing_ = false;
    where_->changed_.notify_all();
}

void timeline::move(nanoseconds by)
{
    const common::scoped_lock guard{mutex_};
    added_.store(added_.load() + by);
    for (auto* const loop : loops_) loop->clock_moved();
    changed_.notify_all();
}

// Whether all participants have finished what is due.
bool timeline::settle(milliseconds patience)
{
    const auto end = std::chrono::steady_clock::now() + patience;
    // Two checks, because the participants are checked one after another: one that was found idle
    // may have got work from one that was checked later.
    while (!is_quiet() || !is_quiet()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(look_again);
    }
    return true;
}

bool timeline::is_quiet()
{
    const auto present = now();
    const common::scoped_lock guard{mutex_};
    bool quiet = true;
    for_each_due([&](boot_time due) { quiet = quiet && due > present; });
    return quiet && std::ranges::all_of(handlers_, &handlers::are_quiet);
}

boot_time timeline::next_due()
{
    auto next = boot_time::max();
    const common::scoped_lock guard{mutex_};
    for_each_due([&](boot_time due) { next = std::min(next, due); });
    return next;
}

boot_time timeline::next_due_after(boot_time present)
{
    auto next = boot_time::max();
    const common::scoped_lock guard{mutex_};
    for_each_due([&](boot_time due) {
        if (due > present) next = std::min(next, due);
    });
    return next;
}

template <class Visit>
void timeline::for_each_due(Visit visit)
{
    for (auto* const loop : loops_) visit(loop->next_due());
    for (const auto& [thread, each] : callers_) {
        // The caller of advance() may be in a callback of its own call.
        if (thread == base::thread_mark()) continue;
        const bool is_over =
            each.over != nullptr && ((*each.over)() || each.stop->stop_requested());
        visit(is_over ? boot_time::min() : each.until);
    }
}

}  // namespace pawl::store::memory
