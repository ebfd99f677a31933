// Which of n stripes an id belongs to. The answer is part of the wire format (docs/wire.md): it must never
// change, because processes with different versions of pawl use the same locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pawl::core {

// FNV-1a with 64 bits, and then the finalizer of MurmurHash3. FNV-1a alone mixes too little for short ids
// that differ in their last digits only.
[[nodiscard]] constexpr std::uint64_t stripe_hash(std::string_view id) noexcept
{
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
    for (const char each : id) {
        hash ^= static_cast<unsigned char>(each);
        hash *= 0x0000'0100'0000'01b3;
    }
    hash ^= hash >> 33U;
    hash *= 0xff51'afd7'ed55'8ccd;
    hash ^= hash >> 33U;
    hash *= 0xc4ce'b9fe'1a85'ec53;
    hash ^= hash >> 33U;
    return hash;
}

[[nodiscard]] constexpr std::size_t stripe_of(std::string_view id, std::size_t stripes) noexcept
{
    return static_cast<std::size_t>(stripe_hash(id) % stripes);
}

}  // namespace pawl::core
