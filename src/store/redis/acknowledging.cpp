#include "store/redis/acknowledging.h"

#include "store/redis/reading.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace pawl::store {

using std::chrono::milliseconds;

unsigned acknowledging::needed(const server_history& server) const
{
    if (!wanted.is_majority()) return static_cast<unsigned>(wanted.replicas());
    return std::max((server.most_replicas() + 1) / 2, 1U);
}

void acknowledging::append(std::string& out, const server_history& server, milliseconds limit) const
{
    // 0 would mean: for ever.
    const auto time = std::max(std::min(longest, limit), milliseconds{1});
    redis::append_request(out,
                          std::array<std::string_view, 3>{"WAIT", std::to_string(needed(server)),
                                                          std::to_string(time.count())});
}

std::optional<core::failure> acknowledging::read(const redis::reply_view& reply,
                                                 const server_history& server) const
{
    if (reply.is_error()) {
        auto got = failure_of_error(reply.text());
        got.maybe_executed = true;
        return got;
    }
    if (reply.type() != redis::resp_type::integer) return senseless(reply);
    const auto wanted_now = std::int64_t{needed(server)};
    if (reply.integer() >= wanted_now) return std::nullopt;
    return core::failure{.what = core::failure_kind::unavailable,
                         .detail = "acknowledged by " + std::to_string(reply.integer()) + " of " +
                                   std::to_string(wanted_now) + " replicas",
                         .maybe_executed = true};
}

}  // namespace pawl::store
