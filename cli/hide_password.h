// Passwords on the command line are for pawl, not for everyone who can run ps or read a log.
#pragma once

#include <string>
#include <string_view>

namespace pawl::cli {

// Overwrites, in place, the password of whatever looks like a URL with one.
void hide_password(char* argument) noexcept;

// The text with "xxx" in place of each such password, and also of what looks like one in a mistyped
// URL: redis:PASSWORD@HOST. It hides too much rather than too little: a password may hold blanks and
// '@', so that of a URL ends at the last '@' of the text.
[[nodiscard]] std::string without_passwords(std::string_view text);

[[nodiscard]] bool has_password(std::string_view url);

}  // namespace pawl::cli
