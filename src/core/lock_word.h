// The state of a lock in this process, in one 32-bit word.
//
//   bits    24–31            16–23        0–15
//           state: 0 free,   re-entries   reserved, zero
//           1 locked
//
// The layout is that of document 003, §5.1.
#pragma once

#include <cstdint>

namespace pawl::core {

class lock_word {
public:
    static constexpr unsigned most_reentries = 255;

    // Locked, without re-entries.
    [[nodiscard]] static constexpr lock_word locked() noexcept { return lock_word{one_lock}; }

    [[nodiscard]] constexpr bool is_locked() const noexcept { return (bits_ & state_mask) != 0; }
    [[nodiscard]] constexpr unsigned reentries() const noexcept
    {
        return (bits_ & reentry_mask) / one_reentry;
    }

    // The number of holds.
    [[nodiscard]] constexpr unsigned holds() const noexcept
    {
        return is_locked() ? reentries() + 1 : 0;
    }

    // Adds a re-entry. Returns false and changes nothing if there are 255 already.
    [[nodiscard]] constexpr bool enter() noexcept
    {
        if (reentries() == most_reentries) return false;
        bits_ += one_reentry;
        return true;
    }

    // Removes a re-entry. If there is none, the lock becomes free.
    constexpr void leave() noexcept { bits_ = reentries() > 0 ? bits_ - one_reentry : 0; }

    [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }

private:
    static constexpr std::uint32_t one_reentry = 1U << 16U;
    static constexpr std::uint32_t one_lock = 1U << 24U;
    static constexpr std::uint32_t reentry_mask = 0xFFU << 16U;
    static constexpr std::uint32_t state_mask = 0xFFU << 24U;

    explicit constexpr lock_word(std::uint32_t bits) noexcept : bits_{bits} {}

    std::uint32_t bits_;
};

}  // namespace pawl::core
