#include "store/redis/keys.h"

#include <array>
#include <charconv>
#include <iterator>

namespace pawl::store {
namespace {

constexpr std::size_t slot_count = 16'384;

// CRC-16/XMODEM, which Redis Cluster prescribes, byte by byte.
constexpr auto crc_of_bytes = [] {
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < table.size(); ++byte) {
        unsigned crc = byte << 8U;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
        }
        table[byte] = static_cast<std::uint16_t>(crc);
    }
    return table;
}();

std::uint16_t crc16(std::string_view bytes) noexcept
{
    unsigned crc = 0;
    for (const char c : bytes) {
        crc = ((crc << 8U) ^ crc_of_bytes[(crc >> 8U) ^ static_cast<unsigned char>(c)]) & 0xFFFFU;
    }
    return static_cast<std::uint16_t>(crc);
}

// For each slot, the smallest number whose digits are in that slot. Finding all of them takes about a
// millisecond, so it is done once, when a name first needs one.
class slot_numbers {
public:
    slot_numbers() noexcept
    {
        numbers_.fill(-1);
        std::size_t missing = slot_count;
        for (std::int32_t number = 0; missing > 0; ++number) {
            char digits[10];
            const auto* const end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
            const std::string_view text{std::begin(digits), end};
            auto& place = numbers_[hash_slot(text)];
            if (place >= 0) continue;
            place = number;
            --missing;
        }
    }

    [[nodiscard]] std::int32_t in(std::uint16_t slot) const noexcept { return numbers_[slot]; }

private:
    std::array<std::int32_t, slot_count> numbers_{};
};

std::int32_t number_in(std::uint16_t slot) noexcept
{
    static const slot_numbers all;
    return all.in(slot);
}

std::string key_with(std::string_view prefix, std::string_view lock)
{
    std::string key{prefix};
    key_tail{lock}.append_to(key);
    return key;
}

}  // namespace

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
    return crc16(hash_tag(key)) % slot_count;
}

std::string fence_key(std::string_view lock)
{
    return key_with(fence_prefix, lock);
}

std::string queue_key(std::string_view lock)
{
    return key_with(queue_prefix, lock);
}

std::string condition_key(std::string_view lock, std::string_view condition)
{
    auto key =
        key_with(std::string{condition_prefix} + std::to_string(condition.size()) + ':', lock);
    return key.append(":").append(condition);
}

std::string watch_key(std::string_view lock)
{
    return key_with(watch_prefix, lock);
}

std::string mark_key(std::string_view lock)
{
    return key_with(mark_prefix, lock);
}

std::string tickets_key(std::string_view lock)
{
    return key_with(tickets_prefix, lock);
}

std::string places_key(std::string_view lock)
{
    return key_with(places_prefix, lock);
}

key_tail::key_tail(std::string_view lock) noexcept : tag_{hash_tag(lock)}, name_{lock}
{
    if (tag_.size() < name_.size()) return;
    // The whole name is hashed. A name that contains a closing brace cannot be put into braces. The tag
    // is then a number in the same slot.
    if (name_.find('}') == std::string_view::npos) {
        name_ = {};
        return;
    }
    const auto* const end =
        std::to_chars(std::begin(digits_), std::end(digits_), number_in(hash_slot(lock))).ptr;
    tag_ = {std::begin(digits_), end};
}

std::size_t key_tail::size() const noexcept
{
    return tag_.size() + (name_.empty() ? 2 : 3 + name_.size());
}

std::string key_tail::tag() const
{
    return std::string{"{"}.append(tag_).append("}");
}

void key_tail::append_to(std::string& out) const
{
    out.append("{").append(tag_).append("}");
    if (!name_.empty()) out.append(":").append(name_);
}

}  // namespace pawl::store
