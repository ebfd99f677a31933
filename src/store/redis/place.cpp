#include "store/redis/place.h"

namespace pawl::store {

std::string place_text(std::string_view holder, const core::queue_place& place)
{
    std::string text{holder};
    text.append(" ").append(place.client);
    text.append(" ").append(std::to_string(place.lease.count()));
    return text.append(" ").append(std::to_string(place.reserve));
}

}  // namespace pawl::store
