// How often which duration occurred, in a fixed amount of memory: buckets whose width grows with
// the value, 64 to each power of two, so that what is read back is at most 1.6 % too large.
//
// Trivially copyable, and all zeros is empty: it can lie in shared memory. One thread writes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pawl::bench {

class histogram {
public:
    void add(std::int64_t ns) noexcept
    {
        const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
        ++buckets_[bucket_of(value)];
        ++count_;
        largest_ = std::max(largest_, value);
    }

    void add(const histogram& other) noexcept
    {
        for (std::size_t i = 0; i < bucket_count; ++i) buckets_[i] += other.buckets_[i];
        count_ += other.count_;
        largest_ = std::max(largest_, other.largest_);
    }

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t max() const noexcept { return largest_; }

    // The value which the given share of all, 0 to 1, does not exceed; 0 when there are none.
    [[nodiscard]] std::uint64_t quantile(double share) const noexcept
    {
        const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < bucket_count; ++i) {
            seen += buckets_[i];
            if (seen > wanted) return std::min(last_of(i), largest_);
        }
        return largest_;
    }

private:
    static constexpr unsigned linear_bits = 6;
    static constexpr unsigned largest_bits = 36;  // 68 s; what takes longer is in the last bucket
    static constexpr std::size_t linear = std::size_t{1} << linear_bits;
    static constexpr std::size_t bucket_count = (largest_bits - linear_bits + 1) * linear;

    // Below 64 each value has its own bucket. Above, the seven highest bits say which it is: the
    // first of them is always set, so each doubling takes up 64 buckets.
    static std::size_t bucket_of(std::uint64_t value) noexcept
    {
        if (value < linear) return value;
        const auto shift = static_cast<unsigned>(std::bit_width(value)) - linear_bits - 1;
        return std::min(shift * linear + (value >> shift), bucket_count - 1);
    }

    static std::uint64_t last_of(std::size_t bucket) noexcept
    {
        if (bucket < 2 * linear) return bucket;
        const std::size_t shift = bucket / linear - 1;
        return ((bucket - shift * linear + 1) << shift) - 1;
    }

    std::array<std::uint64_t, bucket_count> buckets_;
    std::uint64_t count_;
    std::uint64_t largest_;
};

}  // namespace pawl::bench
