#include "store/redis/reading.h"

#include <algorithm>
#include <string>

namespace pawl::store {

using core::failure;
using core::failure_kind;
using core::hold_status;

namespace {

// Times are counted in ns here, which a number of ms from elsewhere would overflow.
constexpr std::chrono::hours longest_wait{24};
constexpr std::chrono::milliseconds last_time{4'102'444'800'000};  // the year 2100
constexpr std::int64_t largest_fence = std::int64_t{1} << 53;      // Lua counts no further

}  // namespace

std::optional<std::uint64_t> fence_in(std::int64_t number) noexcept
{
    if (number <= 0 || number > largest_fence) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

std::optional<std::chrono::milliseconds> server_time_in(std::int64_t number) noexcept
{
    if (number <= 0 || number > last_time.count()) return std::nullopt;
    return std::chrono::milliseconds{number};
}

std::chrono::milliseconds time_left_in(std::int64_t number) noexcept
{
    constexpr std::int64_t longest = std::chrono::milliseconds{longest_wait}.count();
    return std::chrono::milliseconds{std::clamp<std::int64_t>(number, -1, longest)};
}

failure senseless(const redis::reply_view& reply)
{
    return {.what = failure_kind::refused,
            .detail = "a reply that makes no sense: " + std::string{reply.text().substr(0, 100)}};
}

failure failure_of(const redis::failure& why)
{
    failure got{
        .what = failure_kind::unreachable, .detail = why.detail, .maybe_executed = why.sent};
    switch (why.what) {
    case redis::failure_kind::unreachable: break;
    case redis::failure_kind::nobody_listens: got.no_server = true; break;
    case redis::failure_kind::no_reply: got.what = failure_kind::no_reply; break;
    case redis::failure_kind::refused: got.what = failure_kind::refused; break;
    case redis::failure_kind::not_now: got.what = failure_kind::unavailable; break;
    case redis::failure_kind::cancelled: got.what = failure_kind::cancelled; break;
    }
    return got;
}

failure failure_of_error(std::string_view text)
{
    // Inside a script the server's own word may stand anywhere in the text.
    if (text.find("WRONGTYPE") != std::string_view::npos) {
        return {.what = failure_kind::not_a_lock, .detail = std::string{text}};
    }
    auto answered = redis::failure_of_error(text);
    answered.sent = false;  // it was, but nothing is on its way any more
    return failure_of(answered);
}

core::hold_reply read_hold(const redis::reply_view& reply)
{
    if (reply.is_error()) {
        auto got = failure_of_error(reply.text());
        if (got.what == failure_kind::not_a_lock) return hold_status::not_a_lock;
        return got;
    }
    if (reply.type() != redis::resp_type::integer) return senseless(reply);
    switch (reply.integer()) {
    case 1: return hold_status::done;
    case 0: return hold_status::vanished;
    case -1: return hold_status::taken;
    case -2: return hold_status::not_a_lock;
    default: return senseless(reply);
    }
}

bool is_unknown_script(const redis::reply_view& reply) noexcept
{
    return reply.is_error() && reply.text().starts_with("NOSCRIPT");
}

bool is_refusal(const redis::reply_view& reply)
{
    return reply.is_error() &&
           redis::failure_of_error(reply.text()).what == redis::failure_kind::refused;
}

}  // namespace pawl::store
