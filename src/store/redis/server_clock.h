// What time it is at the server, at the latest.
//
// An acquire says until when it is wanted, by the server's clock. One that was delayed on its way, and
// that everyone has given up, is then not executed: else it would hold a lock for nobody, for as long
// as a lease. The server's answers tell its time; that it was not later than now when we asked gives a
// bound which is never too early, as long as its clock is not stepped forward. After such a step it
// refuses once, and that answer sets it right.
#pragma once

#include "base/clock.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace pawl::store {

class server_clock {
public:
    // How much a second may differ between the two clocks, as a fraction.
    explicit server_clock(double drift) : drift_{drift} {}

    // From any thread: the answer to what was asked at `asked` was given at `then`, by the server's
    // clock, since the epoch.
    void heard(std::chrono::milliseconds then, base::boot_time asked) noexcept
    {
        ahead_ = then - asked.time_since_epoch();
        asked_ = asked.time_since_epoch();
    }

    // What the server's clock shows at `when`, at the latest; nothing if it was never heard.
    [[nodiscard]] std::optional<std::chrono::milliseconds> at(base::boot_time when) const noexcept
    {
        const auto asked = asked_.load();
        const auto ahead = ahead_.load();
        if (ahead == unknown) return std::nullopt;
        const auto since = std::max(when.time_since_epoch() - asked, none);
        const auto apart = std::chrono::duration_cast<nanoseconds>(since * drift_);
        return std::chrono::ceil<std::chrono::milliseconds>(when.time_since_epoch() + ahead +
                                                            apart);
    }

private:
    using nanoseconds = std::chrono::nanoseconds;
    static constexpr nanoseconds unknown = nanoseconds::min();
    static constexpr nanoseconds none{0};

    double drift_;

    // Two numbers that may be of two answers. Written and read in this order, so that the drift is
    // counted from the older of the two.
    std::atomic<nanoseconds> ahead_{unknown};
    std::atomic<nanoseconds> asked_{none};
};

}  // namespace pawl::store
