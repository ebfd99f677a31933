// Bounds on the server's clock: the latest and the earliest time that it can show at a moment of our clock, and the
// earliest moment of our clock at which it showed a given time.
//
// An acquire says until when it is wanted, by the server's clock. So the server does not execute a
// request that was delayed and whose caller has given up. Otherwise the lock would be held for the length
// of a lease although no caller wants it. A message about a hand-over says when the lock was handed over,
// by the server's clock. The lease runs from then on, however late the message arrives.
//
// The server's replies contain its time. When we sent the request, the server's clock did not show a
// later time than the reply says. This gives both bounds, as long as the clock is not stepped forward.
// After such a step the server refuses one acquire as too late, and that reply corrects the bounds. A
// grant that arrives before that may seem younger than it is, but never younger than its message.
#pragma once

#include "base/clock.h"
#include "common/mutex.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace pawl::store {

class server_clock {
public:
    using milliseconds = std::chrono::milliseconds;

    // How much a second may differ between the two clocks, as a fraction.
    explicit server_clock(double drift) : drift_{drift} {}

    // May be called from any thread. A request was sent at `asked`, and its reply says that the
    // server's clock showed `then`, since the epoch.
    void heard(milliseconds then, base::boot_time asked)
    {
        const common::scoped_lock guard{mutex_};
        last_ = {then, asked, std::nullopt};
    }

    // The same, with the time at which the reply was there.
    void heard(milliseconds then, base::boot_time asked, base::boot_time answered)
    {
        const common::scoped_lock guard{mutex_};
        last_ = {then, asked, answered};
    }

    // The latest time that the server's clock can show at `when`. Nothing before the first reply.
    [[nodiscard]] std::optional<milliseconds> at(base::boot_time when) const
    {
        const auto last = read();
        if (!last) return std::nullopt;
        const auto since = std::max(when - last->asked, base::boot_clock::duration{0});
        // The time in the reply was rounded down to a millisecond.
        return last->then + milliseconds{1} + std::chrono::ceil<milliseconds>(since + apart(since));
    }

    // The earliest time that the server's clock can show at `when`, which is not before the last reply. Nothing if it is
    // not known when that reply was there.
    [[nodiscard]] std::optional<milliseconds> at_least(base::boot_time when) const
    {
        const auto last = read();
        if (!last || !last->answered || when < *last->answered) return std::nullopt;
        const std::chrono::nanoseconds since = when - *last->answered;
        return last->then + std::chrono::floor<milliseconds>(since - apart(since));
    }

    // The same as at() for a moment that may be before the last reply. If the clock was stepped since `when`, the
    // result is by the clock as it is set now. Nothing if there was no reply in the last `lately` before
    // `now`.
    [[nodiscard]] std::optional<milliseconds> was_at(base::boot_time when, base::boot_time now,
                                                     milliseconds lately) const
    {
        const auto last = read();
        if (!last || last->asked + lately < now) return std::nullopt;
        const std::chrono::nanoseconds since = when - last->asked;
        return last->then + milliseconds{1} +
               std::chrono::ceil<milliseconds>(since + apart(std::chrono::abs(since)));
    }

    // The earliest moment at which the server's clock showed `then`. Nothing before the first reply.
    [[nodiscard]] std::optional<base::boot_time> when(milliseconds then) const
    {
        const auto last = read();
        if (!last) return std::nullopt;
        const std::chrono::nanoseconds since = then - last->then - milliseconds{1};
        return last->asked + since - apart(std::chrono::abs(since));
    }

private:
    struct answer {
        milliseconds then;
        base::boot_time asked;
        std::optional<base::boot_time> answered;
    };

    [[nodiscard]] std::optional<answer> read() const
    {
        const common::scoped_lock guard{mutex_};
        return last_;
    }

    [[nodiscard]] std::chrono::nanoseconds apart(std::chrono::nanoseconds span) const
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(span * drift_);
    }

    double drift_;
    mutable common::mutex mutex_;
    std::optional<answer> last_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::store
