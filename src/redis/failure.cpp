#include "redis/failure.h"

#include <algorithm>
#include <array>

namespace pawl::redis {
namespace {

// "ERR unknown command 'AUTH', with args beginning with: 'ses"
std::string_view without_arguments(std::string_view text) noexcept
{
    const auto kept = text.substr(0, text.find("with args"));
    return kept.substr(0, kept.find_last_not_of(" ,") + 1);
}

}  // namespace

failure failure_of_error(std::string_view text)
{
    constexpr std::array<std::string_view, 7> temporary{"LOADING",
                                                        "BUSY ",
                                                        "MASTERDOWN",
                                                        "CLUSTERDOWN",
                                                        "TRYAGAIN",
                                                        "NOREPLICAS",
                                                        "ERR max number of clients"};
    const bool not_now =
        std::ranges::any_of(temporary, [&](auto word) { return text.starts_with(word); });
    return {not_now ? failure_kind::not_now : failure_kind::refused,
            std::string{without_arguments(text)}};
}

}  // namespace pawl::redis
