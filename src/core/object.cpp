#include "core/object.h"

#include <pawl/error.h>

#include <cstddef>

namespace pawl::core {
namespace {

constexpr std::size_t longest_name = 512;

}  // namespace

void check_name(std::string_view what, std::string_view name)
{
    const auto refuse = [&](const std::string& why) {
        throw error{errc::bad_argument,
                    std::string{what} + ' ' + why + " (allowed: 1 to 512 bytes, any but NUL)"};
    };
    if (name.empty()) refuse("is empty");
    if (name.size() > longest_name) refuse("has " + std::to_string(name.size()) + " bytes");
    if (const auto nul = name.find('\0'); nul != std::string_view::npos) {
        refuse("has a NUL at byte " + std::to_string(nul));
    }
}

std::string make_holder(std::string random_digits)
{
    random_digits.front() = 'p';
    return random_digits;
}

}  // namespace pawl::core
