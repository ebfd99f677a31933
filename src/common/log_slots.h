// In which slot of a histogram a value is counted. The width of the slots grows with the value, with
// 2^LinearBits slots to each power of two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pawl::common {

// Values of 2^LargestBits and more are in the last slot.
template <unsigned LinearBits, unsigned LargestBits>
struct log_slots {
    static constexpr std::size_t linear = std::size_t{1} << LinearBits;
    static constexpr std::size_t count = (LargestBits - LinearBits + 1) * linear;

    // Small values have a slot each. Of the others, the LinearBits + 1 highest bits select the slot.
    // The first of them is always set, so each doubling takes as many slots as the first ones.
    [[nodiscard]] static constexpr std::size_t of(std::uint64_t value) noexcept
    {
        if (value < linear) return value;
        const auto shift = static_cast<unsigned>(std::bit_width(value)) - LinearBits - 1;
        return std::min(shift * linear + (value >> shift), count - 1);
    }

    // The greatest value of the slot.
    [[nodiscard]] static constexpr std::uint64_t last_of(std::size_t slot) noexcept
    {
        if (slot == count - 1) return UINT64_MAX;
        if (slot < 2 * linear) return slot;
        const std::size_t shift = slot / linear - 1;
        return ((slot - shift * linear + 1) << shift) - 1;
    }
};

}  // namespace pawl::common
