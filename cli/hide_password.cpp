#include "hide_password.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace pawl::cli {

void hide_password(char* argument) noexcept
{
    char* const authority = std::strstr(argument, "://");
    if (authority == nullptr) return;
    char* const start = authority + std::string_view{"://"}.size();
    // The last one: a password may hold another.
    char* const end = std::strrchr(start, '@');
    if (end == nullptr) return;
    char* const colon = std::find(start, end, ':');
    if (colon != end) std::fill(colon + 1, end, 'x');
}

}  // namespace pawl::cli
