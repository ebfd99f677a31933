#include "core/keys.h"

#include <pawl/error.h>

#include <charconv>
#include <iterator>

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
std::int32_t number_in_slot(std::uint16_t slot)
{
    std::int32_t number = 0;
    while (hash_slot(std::to_string(number)) != slot) ++number;
    return number;
}

std::string key_with(std::string_view prefix, const lock_keys& keys)
{
    std::string key{prefix};
    key_tail{keys}.append_to(key);
    return key;
}

}  // namespace

std::string make_holder(std::string random_digits)
{
    random_digits.front() = 'p';
    return random_digits;
}

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
    lock_keys keys{.lock = std::string{name}};
    // All of such a name is hashed, but it cannot stand in braces because it has a brace itself.
    const bool has_tag = hash_tag(name).size() != name.size();
    if (!has_tag && name.find('}') != std::string_view::npos) {
        keys.number = number_in_slot(hash_slot(name));
    }
    return keys;
}

std::string lock_keys::fence() const
{
    return key_with(fence_prefix, *this);
}

std::string lock_keys::queue() const
{
    return key_with(queue_prefix, *this);
}

std::string lock_keys::waiters() const
{
    return key_with(waiters_prefix, *this);
}

key_tail::key_tail(const lock_keys& keys) noexcept : tag_{hash_tag(keys.lock)}, name_{keys.lock}
{
    if (keys.number >= 0) {
        const auto end = std::to_chars(std::begin(digits_), std::end(digits_), keys.number).ptr;
        tag_ = {std::begin(digits_), end};
    } else if (tag_.size() == name_.size()) {
        name_ = {};
    }
}

std::size_t key_tail::size() const noexcept
{
    return tag_.size() + (name_.empty() ? 2 : 3 + name_.size());
}

void key_tail::append_to(std::string& out) const
{
    out.append("{").append(tag_).append("}");
    if (!name_.empty()) out.append(":").append(name_);
}

}  // namespace pawl::core
