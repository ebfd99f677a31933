// Counts how often each duration occurred, in a fixed amount of memory: log_slots.h. A value that is
// read back is at most 1.6 % too large. Only one thread may write. All zeros means empty: the object
// can be placed in memory that processes share.
#pragma once

#include "common/log_slots.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pawl::common {

class latency_histogram {
public:
    using nanoseconds = std::chrono::nanoseconds;

    void add(nanoseconds duration) noexcept
    {
        const auto value =
            static_cast<std::uint64_t>(std::max(duration, nanoseconds::zero()).count());
        ++slots_[slots::of(value)];
        least_ = count_ == 0 ? value : std::min(least_, value);
        most_ = std::max(most_, value);
        ++count_;
    }

    void add(const latency_histogram& other) noexcept
    {
        if (other.count_ == 0) return;
        for (std::size_t i = 0; i < slots::count; ++i) slots_[i] += other.slots_[i];
        least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
        most_ = std::max(most_, other.most_);
        count_ += other.count_;
    }

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] nanoseconds min() const noexcept { return in_ns(least_); }
    [[nodiscard]] nanoseconds max() const noexcept { return in_ns(most_); }

    // The value that the given share (0 to 1) of all does not exceed. 0 if there are none.
    [[nodiscard]] nanoseconds quantile(double share) const noexcept
    {
        const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < slots::count; ++i) {
            seen += slots_[i];
            if (seen > wanted) return in_ns(std::clamp(slots::last_of(i), least_, most_));
        }
        return max();
    }

    // How many durations were shorter. Durations in the same slot as the limit count as not
    // shorter.
    [[nodiscard]] std::uint64_t count_below(nanoseconds limit) const noexcept
    {
        if (limit > max()) return count_;
        std::uint64_t seen = 0;
        const std::size_t end =
            slots::of(static_cast<std::uint64_t>(std::max(limit, nanoseconds::zero()).count()));
        for (std::size_t i = 0; i < end; ++i) seen += slots_[i];
        return seen;
    }

private:
    // 64 slots to each doubling; durations of 68 s and more are in the last one.
    using slots = log_slots<6, 36>;

    [[nodiscard]] static nanoseconds in_ns(std::uint64_t value) noexcept
    {
        return nanoseconds{static_cast<nanoseconds::rep>(value)};
    }

    std::array<std::uint64_t, slots::count> slots_{};
    std::uint64_t count_ = 0;
    std::uint64_t least_ = 0;
    std::uint64_t most_ = 0;
};

}  // namespace pawl::common
