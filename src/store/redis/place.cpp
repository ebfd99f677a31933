#include "store/redis/place.h"

#include "core/local_queue.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace pawl::store {
namespace {

constexpr std::size_t time_digits = 13;
constexpr std::size_t reserve_digits = 4;
static_assert(core::local_queue::most_passes <= 9'999, "as many numbers are reserved");
constexpr char new_fence = 'x';
constexpr char last_fence = 's';

void append_padded(std::string& out, std::string_view digits, std::size_t width)
{
    out.append(width - std::min(width, digits.size()), '0').append(digits);
}

}  // namespace

std::string place_text(const core::object& what, const core::queue_place& place,
                       std::chrono::milliseconds until)
{
    std::string text;
    append_padded(text, std::to_string(until.count()), time_digits);
    text.push_back(what.mode == core::entry_mode::reader ? last_fence : new_fence);
    return text.append(place_text_after_time(what, place));
}

std::string place_text_after_time(const core::object& what, const core::queue_place& place)
{
    std::string text;
    append_padded(text, place.client, core::channel_digits);
    append_padded(text, std::to_string(place.reserve), reserve_digits);
    if (!core::is_gate(what.kind)) text.append(std::to_string(place.lease.count()));
    return text;
}

}  // namespace pawl::store
