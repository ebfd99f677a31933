// Hides passwords that are on the command line from `ps` and from logs.
#pragma once

#include <string>
#include <string_view>

namespace pawl::cli {

// Overwrites, in place, the password in an argument that looks like a URL.
void hide_password(char* argument) noexcept;

// The text with "xxx" in place of each password in a URL, and of each text that looks like one in a
// mistyped URL: redis:PASSWORD@HOST. It hides too much rather than too little: a password may
// contain blanks and '@', so the password of a URL ends at the last '@' of the text.
[[nodiscard]] std::string without_passwords(std::string_view text);

[[nodiscard]] bool has_password(std::string_view url);

}  // namespace pawl::cli
