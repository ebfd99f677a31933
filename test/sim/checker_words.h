// How holders are written, and the names of holders and processes in the checker's messages.
#pragma once

#include "sim/process.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::sim {

inline constexpr std::size_t id_digits =
    32;  // of a holder; the client's id or the weight may follow

[[nodiscard]] inline std::string short_id(std::string_view holder)
{
    return std::string{holder.substr(0, 6)};
}

// Of a member: the number after its id.
[[nodiscard]] inline std::uint64_t weight_in(std::string_view member)
{
    std::uint64_t weight = 0;
    const auto digits = member.substr(id_digits);
    std::from_chars(digits.data(), digits.data() + digits.size(), weight);
    return weight;
}

[[nodiscard]] inline std::string named(const process& who)
{
    return "p" + std::to_string(who.number());
}

}  // namespace pawl::sim
