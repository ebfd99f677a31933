// Counts how often each duration occurred, in a fixed amount of memory. The width of the slots
// grows with the value, with 64 slots to each power of two. So a value that is read back is at most
// 1.6 % too large. Only one thread may write. All zeros means empty: the object can be placed in
// memory that processes share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
        ++slots_[slot_of(value)];
        least_ = count_ == 0 ? value : std::min(least_, value);
        most_ = std::max(most_, value);
        ++count_;
    }

    void add(const latency_histogram& other) noexcept
    {
        if (other.count_ == 0) return;
        for (std::size_t i = 0; i < slot_count; ++i) slots_[i] += other.slots_[i];
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
        for (std::size_t i = 0; i < slot_count; ++i) {
            seen += slots_[i];
            if (seen > wanted) return in_ns(std::clamp(last_of(i), least_, most_));
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
            slot_of(static_cast<std::uint64_t>(std::max(limit, nanoseconds::zero()).count()));
        for (std::size_t i = 0; i < end; ++i) seen += slots_[i];
        return seen;
    }

private:
    static constexpr unsigned linear_bits = 6;
    static constexpr unsigned largest_bits = 36;  // 68 s; longer durations are in the last slot
    static constexpr std::size_t linear = std::size_t{1} << linear_bits;
    static constexpr std::size_t slot_count = (largest_bits - linear_bits + 1) * linear;

    [[nodiscard]] static nanoseconds in_ns(std::uint64_t value) noexcept
    {
        return nanoseconds{static_cast<nanoseconds::rep>(value)};
    }

    // Below 64 each value has its own slot. Above, the seven highest bits select the slot. The
    // first of them is always set, so each doubling takes 64 slots.
    [[nodiscard]] static std::size_t slot_of(std::uint64_t value) noexcept
    {
        if (value < linear) return value;
        const auto shift = static_cast<unsigned>(std::bit_width(value)) - linear_bits - 1;
        return std::min(shift * linear + (value >> shift), slot_count - 1);
    }

    [[nodiscard]] static std::uint64_t last_of(std::size_t slot) noexcept
    {
        if (slot == slot_count - 1) return UINT64_MAX;
        if (slot < 2 * linear) return slot;
        const std::size_t shift = slot / linear - 1;
        return ((slot - shift * linear + 1) << shift) - 1;
    }

    std::array<std::uint64_t, slot_count> slots_{};
    std::uint64_t count_ = 0;
    std::uint64_t least_ = 0;
    std::uint64_t most_ = 0;
};

}  // namespace pawl::common
