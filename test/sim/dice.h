// All randomness of a run comes from its seed, through independent streams. Removing one kind of
// fault from a run does not change what the others do.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace pawl::sim {

using std::chrono::nanoseconds;

class dice {
public:
    explicit dice(std::uint64_t seed) : state_{seed} {}

    // An independent stream for a part of the run.
    [[nodiscard]] dice stream(std::uint64_t part) const
    {
        dice other{state_ ^ (part * 0x9E3779B97F4A7C15U)};
        static_cast<void>(other.bits());
        return other;
    }

    std::uint64_t bits()
    {
        // splitmix64: every seed gives a good stream.
        state_ += 0x9E3779B97F4A7C15U;
        auto z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    double unit() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }
    bool chance(double probability) { return unit() < probability; }

    // From 0 to `bound` - 1.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(bits() % bound); }
    std::int64_t between(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
    }

    // Every order of magnitude between the two is equally likely.
    nanoseconds spread(nanoseconds low, nanoseconds high)
    {
        const double from = std::log(static_cast<double>(low.count()));
        const double to = std::log(static_cast<double>(high.count()));
        return nanoseconds{static_cast<std::int64_t>(std::exp(from + (to - from) * unit()))};
    }

    // The time until an event that happens every `mean` on average.
    nanoseconds every(nanoseconds mean)
    {
        return nanoseconds{
            static_cast<std::int64_t>(-std::log1p(-unit()) * static_cast<double>(mean.count()))};
    }

    template <class T>
    T one_of(std::initializer_list<T> choices)
    {
        return *std::next(choices.begin(), static_cast<std::ptrdiff_t>(below(choices.size())));
    }

private:
    std::uint64_t state_;
};

}  // namespace pawl::sim
