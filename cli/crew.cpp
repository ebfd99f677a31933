#include "crew.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace pawl::cli {
namespace {

// A long interval, because a tick takes processor time from the threads that measure.
constexpr std::chrono::milliseconds tick_interval{500};

}  // namespace

crew::crew(std::vector<crew_member> members)
    : members_{std::move(members)}, last_step_(members_.size())
{
}

std::exception_ptr crew::run(const crew_orders& orders)
{
    const std::stop_callback on_interrupt{orders.interrupted, [this] { give_up_.request_stop(); }};
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t i = 0; i < members_.size(); ++i) {
                threads.emplace_back([this, i] { work(i); });
            }
            conduct(orders);
        } catch (...) {
            // The system cannot start more threads. The threads that exist must not wait for the
            // others.
            fail(std::current_exception());
        }
        over_ = true;
    }
    return problem_;
}

void crew::conduct(const crew_orders& orders)
{
    const std::stop_token give_up = give_up_.get_token();
    const auto everyone_ready = [this]()
                                    PAWL_REQUIRES(mutex_) { return ready_ == members_.size(); };
    common::unique_lock lock{mutex_};
    while (!changed_.wait_for(lock, give_up, tick_interval, everyone_ready)) {
        if (give_up.stop_requested()) return;
        orders.tick();
    }
    start_ = clock::now();
    started_ = true;
    changed_.notify_all();

    const auto end = start_ + orders.how_long;
    while (clock::now() < end && !give_up.stop_requested()) {
        orders.tick();
        changed_.wait_until(lock, give_up, std::min(end, clock::now() + tick_interval),
                            [] { return false; });
    }
}

void crew::work(std::size_t index) noexcept
{
    try {
        step_on(index);
    } catch (...) {
        fail(std::current_exception());
    }
    if (members_[index].finish) members_[index].finish();
}

void crew::step_on(std::size_t index)
{
    const crew_member& self = members_[index];
    const std::stop_token give_up = give_up_.get_token();
    self.prepare(give_up);
    start_together();
    while (!give_up.stop_requested()) {
        self.step(give_up);
        last_step_[index] = clock::now();
        if (over_.load(std::memory_order_relaxed)) return;
    }
}

void crew::start_together()
{
    common::unique_lock lock{mutex_};
    ++ready_;
    changed_.notify_all();
    changed_.wait(lock, give_up_.get_token(), [this]() PAWL_REQUIRES(mutex_) { return started_; });
}

// Keeps only the first problem, and none after an interruption.
void crew::fail(const std::exception_ptr& problem) noexcept
{
    if (give_up_.request_stop()) problem_ = problem;
}

std::chrono::nanoseconds crew::elapsed() const noexcept
{
    const auto last = std::ranges::max(last_step_);
    return std::max<std::chrono::nanoseconds>(last - start_, std::chrono::nanoseconds::zero());
}

}  // namespace pawl::cli
