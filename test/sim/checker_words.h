// The names of holders and processes in the checker's messages.
#pragma once

#include "sim/process.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::sim {

inline constexpr std::size_t id_digits = 32;  // of a holder; the client's id may follow

[[nodiscard]] inline std::string short_id(std::string_view holder)
{
    return std::string{holder.substr(0, 6)};
}

[[nodiscard]] inline std::string named(const process& who)
{
    return "p" + std::to_string(who.number());
}

}  // namespace pawl::sim
