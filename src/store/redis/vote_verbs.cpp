#include "store/redis/vote_verbs.h"

#include "redis/scripts.h"
#include "store/redis/keys.h"
#include "store/redis/place.h"
#include "store/redis/reading.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <utility>
#include <variant>

namespace pawl::store {

namespace scripts = redis::scripts;
using core::hold_status;
using core::node_time;

namespace {

void append_text(std::string& out, const std::string& text)
{
    redis::append_word(out, text);
}

// The keys of a lock at a node, and the holder.
void append_claim(std::string& out, const core::claim& mine)
{
    const auto& lock = mine.what->name;
    redis::append_word(out, lock);
    append_fence_key(out, lock);
    append_text(out, tickets_key(lock));
    append_text(out, places_key(lock));
    redis::append_word(out, node_key);
    redis::append_word(out, mine.holder);
}

void open_node_call(std::string& out, const redis::script& which, const script_style& how,
                    const core::claim& mine, std::size_t arguments)
{
    constexpr std::size_t keys_on_a_node = 5;
    open_call(out, which, how, keys_on_a_node, arguments);
    if (mine.written.empty()) {
        append_claim(out, mine);
    } else {
        out += mine.written;
    }
}

void append_node(std::string& out, const script_style& how, const node_context& context)
{
    append_text(out, how.server.run_id);
    append_milliseconds(out, context.quarantine);
}

// In µs with 16 digits, as the scripts write times, or '0' if it is not known.
void append_micros(std::string& out, std::optional<std::chrono::milliseconds> time)
{
    if (!time) return redis::append_word(out, "0");
    std::array<char, 16> digits{};
    auto rest = static_cast<std::uint64_t>(std::chrono::microseconds{*time}.count());
    for (auto& each : digits | std::views::reverse) {
        each = static_cast<char>('0' + rest % 10);
        rest /= 10;
    }
    redis::append_word(out, std::string_view{digits.data(), digits.size()});
}

// A script that fails half-way may have changed something, and so may one whose reply makes no sense.
core::failure failure_in_reply(const redis::reply_view& reply)
{
    auto got = reply.is_error() ? failure_of_error(reply.text()) : senseless(reply);
    got.maybe_executed =
        got.what != core::failure_kind::unavailable && got.what != core::failure_kind::elsewhere;
    return got;
}

std::variant<core::failure, core::restored> restored_in(const redis::reply_view& one)
{
    if (one.type() != redis::resp_type::integer) return senseless(one);
    switch (one.integer()) {
    case 2: return core::restored{.what = hold_status::done, .again = true};
    case 1: return core::restored{.what = hold_status::done};
    case 0: return core::restored{.what = hold_status::vanished};
    case -1: return core::restored{.what = hold_status::taken};
    case -2: return core::restored{.what = hold_status::not_a_lock};
    default: return senseless(one);
    }
}

}  // namespace

std::string written_for_nodes(const core::claim& mine)
{
    std::string out;
    append_claim(out, mine);
    return out;
}

void append(std::string& out, const core::vote_request& what, const script_style& how,
            const node_context& context)
{
    open_node_call(out, scripts::vote, how, what.mine, 9);
    append_micros(out, context.clock.at(what.until));
    redis::append_word(out, (what.wait ? 1 : 0) + (what.renumber ? 2 : 0));
    append_text(out,
                place_text_after_time(*what.mine.what, {what.client, what.lease, what.reserve}));
    append_milliseconds(out, what.wait.value_or(std::chrono::milliseconds{0}));
    redis::append_word(out, what.order.when.count());
    append_number(out, what.proposal);
    append_node(out, how, context);
}

void append(std::string& out, const core::raise_request& what, const script_style& how,
            const node_context& context)
{
    open_node_call(out, scripts::raise, how, what.mine, 6);
    append_number(out, what.number);
    append_number(out, what.reserve);
    append_milliseconds(out, what.lease);
    append_node(out, how, context);
}

void append(std::string& out, const core::hand_back_request& what, const script_style& how,
            const node_context& context)
{
    open_node_call(out, scripts::hand_back, how, what.mine, 8);
    append_number(out, what.number);
    append_text(out,
                place_text_after_time(*what.mine.what, {what.client, what.lease, what.reserve}));
    append_milliseconds(out, what.wait);
    redis::append_word(out, what.order.when.count());
    append_number(out, what.proposal);
    append_node(out, how, context);
}

void append(std::string& out, const core::return_request& what, const script_style& how,
            const node_context& context)
{
    open_node_call(out, scripts::return_vote, how, what.mine, 7);
    append_number(out, what.used);
    redis::append_word(out, what.announcement);
    redis::append_word(out, what.has_reserve ? "1" : "");
    append_number(out, what.proposal);
    append_node(out, how, context);
}

void append(std::string& out, std::span<const core::restore_part> all, const script_style& how,
            const node_context& context)
{
    open_call(out, scripts::restore, how, 1 + 2 * all.size(), 2 + 5 * all.size());
    redis::append_word(out, node_key);
    for (const auto& each : all) {
        redis::append_word(out, each.mine.what->name);
        append_fence_key(out, each.mine.what->name);
    }
    append_node(out, how, context);
    const auto append_time = [&](const std::optional<base::boot_time>& when) {
        append_micros(out, when ? context.clock.at_least(*when) : std::nullopt);
    };
    for (const auto& each : all) {
        redis::append_word(out, each.mine.holder);
        append_milliseconds(out, each.lease);
        append_number(out, each.number);
        append_time(each.held_until);
        append_time(each.vote_until);
    }
}

std::optional<node_answer> read_node_answer(const redis::reply_view& reply)
{
    const auto answer = read_answer(reply, 3);
    if (!answer || !server_time_in(answer->time_us)) return std::nullopt;
    return node_answer{answer->code, answer->number, node_time{answer->time_us}};
}

core::vote_reply read(const core::vote_request& what, const redis::reply_view& reply,
                      const std::optional<node_answer>& answer)
{
    using reason = core::waits::reason;
    if (!answer) return failure_in_reply(reply);
    const auto waits = [&](reason why) {
        return core::waits{.why = why,
                           .left = time_left_in(answer->number),
                           .placed = what.wait.has_value(),
                           .now = answer->now};
    };
    switch (answer->code) {
    case 1:
    case 2: {
        const auto number = fence_in(answer->number);
        if (!number) break;
        return core::voted{.number = *number, .found = answer->code == 2, .now = answer->now};
    }
    case 0: return waits(reason::held);
    case -1:
        return core::failure{.what = core::failure_kind::unavailable,
                             .detail = "the request came too late"};
    case -2: return waits(reason::foreign);
    case -3: return waits(reason::no_lock);
    case -4: return waits(reason::quarantine);
    default: break;
    }
    return failure_in_reply(reply);
}

core::raise_reply read(const core::raise_request& /*what*/, const redis::reply_view& reply,
                       const std::optional<node_answer>& answer)
{
    if (answer) {
        switch (answer->code) {
        case 1: return core::raised{.others_wait = answer->number != 0, .now = answer->now};
        case 0: return hold_status::vanished;
        case -1: return hold_status::taken;
        case -4:
            return core::failure{.what = core::failure_kind::unavailable,
                                 .detail = "in quarantine: it is new or was restarted"};
        default: break;
        }
    }
    auto got = failure_in_reply(reply);
    if (got.what == core::failure_kind::not_a_lock) return hold_status::not_a_lock;
    return got;
}

core::hand_back_reply read(const core::hand_back_request& /*what*/, const redis::reply_view& reply,
                           const std::optional<node_answer>& answer)
{
    using outcome = core::handed_back::outcome;
    if (answer) {
        switch (answer->code) {
        case 1: return core::handed_back{.what = outcome::given, .now = answer->now};
        case 2: return core::handed_back{.what = outcome::kept, .now = answer->now};
        case 0: return core::handed_back{.what = outcome::other, .now = answer->now};
        default: break;
        }
    }
    return failure_in_reply(reply);
}

core::hold_reply read(const core::return_request& /*what*/, const redis::reply_view& reply,
                      const std::optional<node_answer>& /*answer*/)
{
    return read_hold(reply);
}

core::restore_reply read(std::span<const core::restore_part> all, const redis::reply_view& reply)
{
    core::restore_reply got;
    got.all.reserve(all.size());
    if (!reply.is_aggregate() || reply.size() != all.size() + 1) {
        got.all.assign(all.size(), failure_in_reply(reply));
        return got;
    }
    reply.for_each([&, first = true](const redis::reply_view& each) mutable {
        if (!std::exchange(first, false)) return got.all.push_back(restored_in(each));
        auto text = each.text();
        const auto micros = take_number(text);
        if (micros && server_time_in(*micros)) got.now = node_time{*micros};
    });
    return got;
}

}  // namespace pawl::store
