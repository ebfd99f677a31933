// The messages of pawl itself, on stderr.
#pragma once

#include <string>
#include <string_view>

namespace pawl::cli {

// Writes one line, "pawl: …", with one system call. May be called from any thread.
void say(std::string_view text) noexcept;

// In single quotes. Control characters, which could confuse a terminal, become '?'. The password of
// a URL becomes "xxx".
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace pawl::cli
