// Passwords on the command line are for pawl, not for everyone who can run ps.
#pragma once

namespace pawl::cli {

// Overwrites, in place, the password of whatever looks like a URL with one.
void hide_password(char* argument) noexcept;

}  // namespace pawl::cli
