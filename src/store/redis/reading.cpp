#include "store/redis/reading.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <system_error>

namespace pawl::store {

using core::failure;
using core::failure_kind;
using core::hold_status;
using std::chrono::microseconds;

namespace {

// Times are counted in ns here. Without these limits, a number of ms from the server could overflow.
constexpr std::chrono::hours longest_wait{24};
constexpr std::chrono::milliseconds last_time{4'102'444'800'000};  // the year 2100
constexpr std::int64_t largest_fence = std::int64_t{1} << 53;      // Lua counts exactly below this

}  // namespace

std::optional<std::uint64_t> fence_in(std::int64_t number) noexcept
{
    if (number <= 0 || number >= largest_fence) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

std::optional<std::chrono::milliseconds> server_time_in(std::int64_t micros) noexcept
{
    const auto time = std::chrono::floor<std::chrono::milliseconds>(microseconds{micros});
    if (time.count() <= 0 || time > last_time) return std::nullopt;
    return time;
}

std::string_view take_word(std::string_view& text) noexcept
{
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

std::optional<std::int64_t> take_number(std::string_view& text) noexcept
{
    const auto word = take_word(text);
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

std::optional<script_answer> read_answer(const redis::reply_view& reply, std::size_t count,
                                         bool may_have_more)
{
    if (reply.type() != redis::resp_type::bulk) return std::nullopt;
    auto text = reply.text();
    std::array<std::int64_t, 3> numbers{};
    for (auto& each : std::span{numbers}.first(count)) {
        const auto number = take_number(text);
        if (!number) return std::nullopt;
        each = *number;
    }
    script_answer got{.code = numbers[0], .number = numbers[1], .time_us = numbers[2]};
    if (text.empty()) return got;
    if (!may_have_more) return std::nullopt;
    got.more = take_number(text);
    if (!got.more || !text.empty()) return std::nullopt;
    return got;
}

std::chrono::milliseconds time_left_in(std::int64_t number) noexcept
{
    constexpr std::int64_t longest = std::chrono::milliseconds{longest_wait}.count();
    return std::chrono::milliseconds{std::clamp<std::int64_t>(number, -1, longest)};
}

failure senseless(const redis::reply_view& reply)
{
    return {.what = failure_kind::refused,
            .detail = "unexpected reply: " + std::string{reply.text().substr(0, 100)}};
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
    case redis::failure_kind::replica:
    case redis::failure_kind::moved:
    case redis::failure_kind::ask: got.what = failure_kind::elsewhere; break;
    case redis::failure_kind::cancelled: got.what = failure_kind::cancelled; break;
    }
    return got;
}

failure failure_of_error(std::string_view text)
{
    // In the error of a script, the server's error code may be anywhere in the text.
    if (text.find("WRONGTYPE") != std::string_view::npos) {
        return {.what = failure_kind::not_a_lock, .detail = std::string{text}};
    }
    auto answered = redis::failure_of_error(text);
    answered.sent = false;  // it was sent, but it has been answered
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
