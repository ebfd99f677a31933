#include "redis/failure.h"

#include <algorithm>
#include <array>

namespace pawl::redis {

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
    return {not_now ? failure_kind::not_now : failure_kind::refused, std::string{text}};
}

}  // namespace pawl::redis
