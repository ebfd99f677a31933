// The text with which a candidate stands for the lead: its name and its payload. While the candidate leads, others
// can read it.
#pragma once

#include <string>
#include <string_view>

namespace pawl::core {

struct candidate {
    std::string_view name;
    std::string_view payload;
};

// The name, a NUL, and the payload. The name is left out if it is empty: then the payload is the name.
[[nodiscard]] inline std::string candidate_text(const candidate& who)
{
    std::string text{who.name};
    text.push_back('\0');
    return text.append(who.payload);
}

// The parts point into the text.
[[nodiscard]] inline candidate candidate_in(std::string_view text) noexcept
{
    const auto nul = text.find('\0');
    if (nul == std::string_view::npos) return {text, text};
    const auto payload = text.substr(nul + 1);
    return {nul == 0 ? payload : text.substr(0, nul), payload};
}

}  // namespace pawl::core
