// What pawl itself says, on stderr, apart from what the command says.
#pragma once

#include <string>
#include <string_view>

namespace pawl::cli {

// One line, "pawl: …", in one piece. From any thread.
void say(std::string_view text) noexcept;

// In single quotes. Control characters, which could play tricks on a terminal, become '?'; the password of
// a URL becomes "xxx".
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace pawl::cli
