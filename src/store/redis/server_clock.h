// What time it is at the server, at the latest; and when, by our clock, it was a given time there, at the
// earliest.
//
// An acquire says until when it is wanted, by the server's clock. One that was delayed on its way, and
// that everyone has given up, is then not executed: else it would hold a lock for nobody, for as long
// as a lease. And a grant that was handed over says when, by the server's clock: from then on its lease
// runs, however late the message comes.
//
// The server's answers tell its time. That it was not later than what it said when we asked gives both
// bounds, as long as its clock is not stepped forward. After such a step it refuses an acquire once, and
// that answer sets it right; a grant that is heard of meanwhile may seem younger than it is, though
// never younger than its message.
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

    // From any thread: the answer to what was asked at `asked` was given at `then`, by the server's
    // clock, since the epoch.
    void heard(milliseconds then, base::boot_time asked)
    {
        const common::scoped_lock guard{mutex_};
        last_ = {then, asked};
    }

    // What the server's clock shows at `when`, at the latest; nothing if it was never heard.
    [[nodiscard]] std::optional<milliseconds> at(base::boot_time when) const
    {
        const auto last = read();
        if (!last) return std::nullopt;
        const auto since = std::max(when - last->asked, base::boot_clock::duration{0});
        // The time it told was cut off after the millisecond.
        return last->then + milliseconds{1} + std::chrono::ceil<milliseconds>(since + apart(since));
    }

    // What the server's clock showed at `when`, some time before it was last heard, at the latest; if it
    // was stepped since, what it would have shown as it is set now. Nothing if it was not heard in the
    // last `lately` before `now`.
    [[nodiscard]] std::optional<milliseconds> was_at(base::boot_time when, base::boot_time now,
                                                     milliseconds lately) const
    {
        const auto last = read();
        if (!last || last->asked + lately < now) return std::nullopt;
        const std::chrono::nanoseconds since = when - last->asked;
        return last->then + milliseconds{1} +
               std::chrono::ceil<milliseconds>(since + apart(std::chrono::abs(since)));
    }

    // When the server's clock showed `then`, at the earliest; nothing if it was never heard.
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
