// What the metrics are counted with. Nothing here waits or allocates. No order is kept between two
// counters: a reader may see an event in one of them, and not yet in another.
//
// Each counter has one of two rules. add() may be called by any thread, and costs about as much as
// an atomic operation of the processor. add_alone() costs as much as an ordinary addition; all of
// its callers must hold the same mutex. The two must not be mixed: then counts would get lost.
#pragma once

#include "common/log_slots.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pawl::observe {

class counter {
public:
    void add(std::uint64_t more = 1) noexcept { value_.fetch_add(more, std::memory_order_relaxed); }
    void add_alone(std::uint64_t more = 1) noexcept
    {
        value_.store(get() + more, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t get() const noexcept
    {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

// The greatest value that was seen. Any thread may call it.
class greatest {
public:
    void see(std::uint64_t value) noexcept
    {
        auto before = value_.load(std::memory_order_relaxed);
        while (before < value &&
               !value_.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
        }
    }
    [[nodiscard]] std::uint64_t get() const noexcept
    {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

// One counter for each value of an enumeration, from 0 to `Last`.
template <class Key, Key Last>
class counters_by {
public:
    static constexpr std::size_t size = static_cast<std::size_t>(Last) + 1;

    [[nodiscard]] counter& operator[](Key which) noexcept
    {
        return counters_[static_cast<std::size_t>(which)];
    }

    // Adds its values to a pawl::counts_by with the same keys.
    template <class Counts>
    void add_to(Counts& all) const noexcept
    {
        for (std::size_t i = 0; i < size; ++i) all[static_cast<Key>(i)] += counters_[i].get();
    }

private:
    std::array<counter, size> counters_{};
};

// Counts durations, for a pawl::histogram.
class duration_counter {
public:
    using nanoseconds = std::chrono::nanoseconds;

    // Eight slots to each doubling. Durations of 39 hours and more are in the last one.
    using slots = common::log_slots<3, 47>;

    void add(nanoseconds duration) noexcept
    {
        const auto value = value_of(duration);
        slots_[slots::of(value)].add();
        sum_.add(value);
    }
    void add_alone(nanoseconds duration) noexcept
    {
        const auto value = value_of(duration);
        slots_[slots::of(value)].add_alone();
        sum_.add_alone(value);
    }

    [[nodiscard]] std::uint64_t in_slot(std::size_t slot) const noexcept
    {
        return slots_[slot].get();
    }
    [[nodiscard]] nanoseconds sum() const noexcept
    {
        return nanoseconds{static_cast<nanoseconds::rep>(sum_.get())};
    }

private:
    // A clock that does not run backwards gives no negative duration, except for a time that the
    // server has told.
    [[nodiscard]] static std::uint64_t value_of(nanoseconds duration) noexcept
    {
        return static_cast<std::uint64_t>(std::max(duration, nanoseconds::zero()).count());
    }

    std::array<counter, slots::count> slots_{};
    counter sum_;
};

}  // namespace pawl::observe
