#include "redis/pool.h"

#include <algorithm>
#include <system_error>

namespace pawl::redis {

std::variant<pool::loan, failure> pool::take(base::boot_time until, const base::interrupt* stop,
                                             bool may_start)
{
    if (auto problem = wait_for_turn(until, stop)) return std::move(*problem);
    // From here on the turn is this caller's, and the loan gives it back.
    while (auto found = take_idle()) {
        if (!found->is_stale()) return loan{*this, std::move(found)};
    }
    auto opened = open(until, stop, may_start);
    if (auto* fresh = std::get_if<std::unique_ptr<connection>>(&opened)) {
        return loan{*this, std::move(*fresh)};
    }
    end_turn();
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
        // Out of descriptors or threads: as bad as no network, and as likely to pass.
        return failure{failure_kind::unreachable, e.what()};
    }
}

std::optional<failure> pool::wait_for_turn(base::boot_time until, const base::interrupt* stop)
{
    std::unique_lock guard{mutex_};
    const auto left = until - base::boot_clock::now();
    const auto by = std::chrono::steady_clock::now() + std::max(left, left.zero());
    const auto free = [this] { return in_use_ < size_; };
    const auto token = stop != nullptr ? stop->token() : std::stop_token{};
    if (!turn_over_.wait_until(guard, token, by, free)) {
        if (token.stop_requested()) return failure{failure_kind::cancelled, {}};
        return failure{
            failure_kind::unreachable,
            "all connections of the pool were in use (pool_size " + std::to_string(size_) + ")"};
    }
    ++in_use_;
    return std::nullopt;
}

std::unique_ptr<connection> pool::take_idle()
{
    const std::scoped_lock guard{mutex_};
    if (idle_.empty()) return nullptr;
    auto found = std::move(idle_.back());
    idle_.pop_back();
    return found;
}

void pool::drop_idle()
{
    std::vector<std::unique_ptr<connection>> dropped;
    const std::scoped_lock guard{mutex_};
    dropped.swap(idle_);
}

void pool::give_back(std::unique_ptr<connection> what)
{
    if (what->is_reusable()) {
        const std::scoped_lock guard{mutex_};
        idle_.push_back(std::move(what));
    }
    end_turn();
}

void pool::end_turn()
{
    {
        const std::scoped_lock guard{mutex_};
        --in_use_;
    }
    turn_over_.notify_one();
}

}  // namespace pawl::redis
