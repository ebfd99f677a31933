#include "core/object.h"

#include <pawl/error.h>

#include <cstddef>
#include <ranges>
#include <utility>

namespace pawl::core {
namespace {

constexpr std::size_t longest_name = 512;

}  // namespace

std::span<const std::string> names_of(const object& what) noexcept
{
    if (what.kind == object_kind::many) return what.parts;
    return {&what.name, 1};
}

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

std::string make_holder(std::string random_digits, std::string_view channel)
{
    random_digits.front() = 'p';
    random_digits.replace(random_digits.size() - channel.size(), channel.size(), channel);
    return random_digits;
}

std::string make_holder_of_many(std::string random_digits, std::string_view channel)
{
    auto holder = make_holder(std::move(random_digits), channel);
    holder[1] = 'a';
    return holder;
}

std::string part_holder(std::string_view holder)
{
    std::string part{holder};
    for (auto& c : part | std::views::drop(1)) {
        if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
    }
    return part;
}

std::string whole_holder(std::string_view holder)
{
    std::string whole{holder};
    if (!holder.starts_with("pA")) return whole;
    for (auto& c : whole) {
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    }
    return whole;
}

}  // namespace pawl::core
