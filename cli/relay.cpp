#include "relay.h"

#include <pawl/hold.h>

#include <algorithm>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

// How long a runner holds the lock. By then the other runner's request must have reached the
// server: twice the slowest round trip measured before, and some time for a thread to wake up.
constexpr std::chrono::microseconds time_to_wake_up = 500us;
constexpr std::chrono::seconds longest_hold = 1s;
constexpr int pings = 5;

[[nodiscard]] std::chrono::steady_clock::duration slowest_round_trip(client& client)
{
    std::chrono::steady_clock::duration slowest{};
    client.ping();  // connects
    for (int i = 0; i < pings; ++i) {
        const auto start = std::chrono::steady_clock::now();
        client.ping();
        slowest = std::max(slowest, std::chrono::steady_clock::now() - start);
    }
    return slowest;
}

}  // namespace

relay::relay(client& first, client& second, const std::string& name, const lock_options& options)
    : runners_{{{.own_client = &first, .lock = mutex{first, name, options}},
                {.own_client = &second, .lock = mutex{second, name, options}}}}
{
}

std::vector<crew_member> relay::members()
{
    std::vector<crew_member> result;
    result.reserve(runners_.size());
    for (std::size_t self = 0; self < runners_.size(); ++self) {
        result.push_back({
            .prepare = [this, self](const auto& give_up) { prepare(self, give_up); },
            .step = [this, self](const auto& give_up) { take_turn(self, give_up); },
            .finish = [this, self] { end(self); },
        });
    }
    return result;
}

common::latency_histogram relay::times() const
{
    common::latency_histogram all;
    for (const runner& each : runners_) all.add(each.times);
    return all;
}

void relay::prepare(std::size_t self, const std::stop_token& give_up)
{
    runner& own = runners_.at(self);
    own.hold_for = std::min<clock::duration>(
        2 * slowest_round_trip(*own.own_client) + time_to_wake_up, longest_hold);
    // The first wait of a client costs a subscription. After two turns each, both clients have
    // waited.
    take_turn(self, give_up);
    take_turn(self, give_up);
    own.times = {};
    released_at_ = 0;
}

void relay::take_turn(std::size_t self, const std::stop_token& give_up)
{
    if (!await_turn(self, give_up)) return;
    runner& own = runners_.at(self);
    hold held = own.lock.acquire(give_up);
    const auto now = clock::now().time_since_epoch();
    if (const clock::rep released = released_at_; released != 0) {
        own.times.add(now - clock::duration{released});
    }
    say_that_it_holds(self);
    keep_for(own.hold_for, give_up);
    released_at_ = clock::now().time_since_epoch().count();
    held.release();
}

// A runner's turn begins when the other one has the lock: then it is time to ask for it. False if
// there will be no turn any more.
bool relay::await_turn(std::size_t self, const std::stop_token& give_up)
{
    const runner& other = runners_.at(1 - self);
    common::unique_lock lock{mutex_};
    const auto settled = [&]() PAWL_REQUIRES(mutex_) {
        return last_holder_ != self || other.has_ended;
    };
    return changed_.wait(lock, give_up, settled) && last_holder_ != self;
}

void relay::say_that_it_holds(std::size_t self)
{
    const common::scoped_lock lock{mutex_};
    last_holder_ = self;
    changed_.notify_all();
}

void relay::end(std::size_t self)
{
    const common::scoped_lock lock{mutex_};
    runners_.at(self).has_ended = true;
    changed_.notify_all();
}

void relay::keep_for(clock::duration duration, const std::stop_token& give_up)
{
    common::unique_lock lock{mutex_};
    changed_.wait_for(lock, give_up, duration, [] { return false; });
}

}  // namespace pawl::cli
