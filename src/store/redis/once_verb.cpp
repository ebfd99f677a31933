#include "store/redis/once_verb.h"

#include "store/redis/reading.h"

#include <algorithm>
#include <chrono>

namespace pawl::store {

void append(std::string& out, const core::due_request& what, const script_style& how)
{
    open_call(out, redis::scripts::once_due, how, 1, 0);
    append_mark_key(out, what.what->name);
}

core::due_reply read(const core::due_request& /*what*/, const redis::reply_view& reply)
{
    if (reply.is_error()) return failure_of_error(reply.text());
    if (reply.type() != redis::resp_type::integer) return senseless(reply);
    if (reply.integer() < 0) return core::due{};
    // Times are counted in ns elsewhere, so the number must not be too large for that.
    constexpr std::chrono::milliseconds longest = std::chrono::years{100};
    return core::due{.in = std::min(std::chrono::milliseconds{reply.integer()}, longest)};
}

}  // namespace pawl::store
