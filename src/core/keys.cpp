#include "core/keys.h"

#include <pawl/error.h>

namespace pawl::core {
namespace {

constexpr std::size_t longest_name = 512;

// CRC-16/XMODEM, which Redis Cluster prescribes.
std::uint16_t crc16(std::string_view bytes) noexcept
{
    unsigned crc = 0;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8U;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
        }
        crc &= 0xFFFFU;
    }
    return static_cast<std::uint16_t>(crc);
}

// A short tag that falls into the same slot. There are 16384 slots and every number is as good as a
// random one, so the search ends after some ten thousand steps.
std::string tag_in_slot(std::uint16_t slot)
{
    for (unsigned n = 0;; ++n) {
        auto tag = std::to_string(n);
        if (hash_slot(tag) == slot) return tag;
    }
}

}  // namespace

void check_name(std::string_view what, std::string_view name)
{
    const auto refuse = [&](const std::string& why) {
        throw error{errc::bad_argument,
                    std::string{what} + ' ' + why + " (allowed: 1 to 512 bytes, any but NUL)"};
    };
    if (name.empty()) refuse("is empty");
    if (name.size() > longest_name) refuse("has " + std::to_string(name.size()) + " bytes");
    if (const auto nul = name.find('\0'); nul != std::string_view::npos) {
        refuse("has a NUL at byte " + std::to_string(nul));
    }
}

std::string_view hash_tag(std::string_view key) noexcept
{
    const auto open = key.find('{');
    if (open == std::string_view::npos) return key;
    const auto close = key.find('}', open + 1);
    if (close == std::string_view::npos || close == open + 1) return key;
    return key.substr(open + 1, close - open - 1);
}

std::uint16_t hash_slot(std::string_view key) noexcept
{
    return crc16(hash_tag(key)) % 16384U;
}

lock_keys keys_of(std::string_view name)
{
    const auto tag = hash_tag(name);
    std::string tail;
    if (tag.size() == name.size() && name.find('}') == std::string_view::npos) {
        tail.append("{").append(name).append("}");
    } else if (tag.size() != name.size()) {
        tail.append("{").append(tag).append("}:").append(name);
    } else {
        // The whole name is hashed, but it cannot stand in braces because it has a brace itself.
        tail.append("{").append(tag_in_slot(hash_slot(name))).append("}:").append(name);
    }
    return {.lock = std::string{name},
            .fence = "pawl:fence:" + tail,
            .queue = "pawl:queue:" + tail,
            .waiters = "pawl:waiters:" + tail};
}

}  // namespace pawl::core
