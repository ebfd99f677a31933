// How holders and processes are called in what the checker says.
#pragma once

#include "sim/process.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::sim {

inline constexpr std::size_t id_digits = 32;  // of a holder; what follows is his client

[[nodiscard]] inline std::string short_id(std::string_view holder)
{
    return std::string{holder.substr(0, 6)};
}

[[nodiscard]] inline std::string named(const process& who)
{
    return "p" + std::to_string(who.number());
}

}  // namespace pawl::sim
