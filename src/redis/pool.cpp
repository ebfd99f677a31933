#include "redis/pool.h"

#include <algorithm>
#include <system_error>

namespace pawl::redis {

std::variant<pool::loan, failure> pool::take(base::boot_time until, const base::interrupt* stop,
                                             bool may_start)
{
    common::unique_lock held{mutex_};
    if (in_use_ >= size_) {
        if (auto problem = wait_for_turn(held, until, stop)) return std::move(*problem);
    }
    // From here on this caller counts as a user of a connection, until the loan is given back.
    const bool alone = ++in_use_ == 1;
    auto found = take_idle();
    held.unlock();
    while (found) {
        found->is_alone(alone);
        if (!found->is_stale()) return loan{*this, std::move(found)};
        held.lock();
        found = take_idle();
        held.unlock();
    }
    auto opened = open(until, stop, may_start);
    if (auto* fresh = std::get_if<std::unique_ptr<connection>>(&opened)) {
        return loan{*this, std::move(*fresh)};
    }
    give_back(nullptr);
    return std::get<failure>(std::move(opened));
}

std::variant<std::unique_ptr<connection>, failure> pool::open(base::boot_time until,
                                                              const base::interrupt* stop,
                                                              bool may_start) const
{
    const auto now = base::boot_clock::now();
    const auto by = std::min(until, now + connect_limit_);
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(by - now);
    try {
        if (may_start) {
            if (auto problem = server_->prepare(limit)) return std::move(*problem);
        }
        auto fresh = std::make_unique<connection>(*server_, by, stop);
        if (!fresh->ready()) return fresh->problem();
        return fresh;
    } catch (const std::system_error& e) {
        // Out of descriptors or threads. Like a network failure, this may pass.
        return failure{failure_kind::unreachable, e.what()};
    }
}

std::optional<failure> pool::wait_for_turn(common::unique_lock& held, base::boot_time until,
                                           const base::interrupt* stop)
{
    const auto left = until - base::boot_clock::now();
    const auto by = std::chrono::steady_clock::now() + std::max(left, left.zero());
    const auto free = [this]() PAWL_REQUIRES(mutex_) { return in_use_ < size_; };
    const auto token = stop != nullptr ? stop->token() : std::stop_token{};
    ++waiting_;
    const bool is_free = turn_over_.wait_until(held, token, by, free);
    --waiting_;
    if (is_free) return std::nullopt;
    if (token.stop_requested()) return failure{failure_kind::cancelled, {}};
    return failure{
        failure_kind::unreachable,
        "all connections of the pool were in use (pool_size " + std::to_string(size_) + ")"};
}

std::unique_ptr<connection> pool::take_idle()
{
    if (idle_.empty()) return nullptr;
    auto found = std::move(idle_.back());
    idle_.pop_back();
    return found;
}

void pool::drop_idle()
{
    std::vector<std::unique_ptr<connection>> dropped;
    const common::scoped_lock held{mutex_};
    dropped.swap(idle_);
}

// Ends the caller's use. A connection that cannot be used again is closed, outside the mutex.
void pool::give_back(std::unique_ptr<connection> what)
{
    bool someone_waits = false;
    {
        const common::scoped_lock held{mutex_};
        if (what && what->is_reusable()) idle_.push_back(std::move(what));
        --in_use_;
        someone_waits = waiting_ > 0;
    }
    if (someone_waits) turn_over_.notify_one();
}

}  // namespace pawl::redis
