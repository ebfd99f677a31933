#include "store/redis/hold_verbs.h"

#include "base/json_text.h"
#include "store/redis/place.h"
#include "store/redis/reading.h"

#include <optional>
#include <string_view>

namespace pawl::store {

namespace scripts = redis::scripts;
using core::claim;
using core::hold_status;

namespace {

bool is_plain(const claim& mine)
{
    return mine.what->layout == layout::plain;
}

const redis::script& renew_script(const claim& mine)
{
    return is_plain(mine) ? scripts::plain_renew : scripts::hash_renew;
}

// ── The end of a hold ───────────────────────────────────────────────────────────────────────────
// Arguments at the end that go without saying are left out: each costs the server as much as a few
// lines of the script.

// Whether an announcement cannot be made of name and holder as they are.
bool says_json(const claim& mine, bool announce)
{
    return announce && !(base::is_plain_json(mine.what->name) && base::is_plain_json(mine.holder));
}

// Without their quotes, which the script has.
void append_json(std::string& out, const claim& mine)
{
    for (const auto text : {std::string_view{mine.what->name}, mine.holder}) {
        const auto quoted_text = base::json_text(text);
        redis::append_word(out, std::string_view{quoted_text}.substr(1, quoted_text.size() - 2));
    }
}

int flags_of_end(bool announce, bool json, bool has_reserve)
{
    return (announce ? 1 : 0) + (json ? 2 : 0) + (has_reserve ? 4 : 0);
}

}  // namespace

void append(std::string& out, const core::count_request& what, const script_style& how)
{
    // A plain lock has no room for a count: re-entering it extends it.
    if (is_plain(what.mine)) {
        const core::extend_request extend{.mine = what.mine, .lease = what.lease};
        append(out, std::span{&extend, 1}, how);
        return;
    }
    open_call(out, scripts::hash_set_count, how, 1, 3);
    redis::append_word(out, what.mine.what->name);
    redis::append_word(out, what.mine.holder);
    append_milliseconds(out, what.lease);
    append_number(out, what.count);
}

void append(std::string& out, const core::check_request& what, const script_style& how)
{
    const auto& script = is_plain(what.mine) ? scripts::plain_check : scripts::hash_check;
    open_call(out, script, how, 1, 1);
    redis::append_word(out, what.mine.what->name);
    redis::append_word(out, what.mine.holder);
}

void append(std::string& out, std::span<const core::extend_request> all, const script_style& how)
{
    open_call(out, renew_script(all.front().mine), how, all.size(), 2 * all.size());
    for (const auto& each : all) redis::append_word(out, each.mine.what->name);
    for (const auto& each : all) {
        redis::append_word(out, each.mine.holder);
        append_milliseconds(out, each.lease);
    }
}

void append(std::string& out, const core::release_request& what, const script_style& how)
{
    const auto& script = is_plain(what.mine) ? scripts::plain_release : scripts::hash_release;
    const bool json = says_json(what.mine, what.announce);
    std::size_t arguments = 3;
    if (what.place) arguments = 4;
    if (json) arguments = 6;
    open_call(out, script, how, what.mine.what->name, arguments);
    redis::append_word(out, what.mine.holder);
    redis::append_word(out, flags_of_end(what.announce, json, what.has_reserve));
    append_number(out, what.used);
    if (arguments >= 4) {
        redis::append_word(out, what.place ? place_text(what.mine.holder, *what.place) : "");
    }
    if (json) append_json(out, what.mine);
}

void append(std::string& out, const core::keep_request& what, const script_style& how)
{
    const auto& script = is_plain(what.mine) ? scripts::plain_keep : scripts::hash_keep;
    const bool json = says_json(what.mine, what.announce);
    open_call(out, script, how, what.mine.what->name, 8);
    redis::append_word(out, what.mine.holder);
    redis::append_word(out, flags_of_end(what.announce, json, false));
    append_number(out, what.used);
    append_milliseconds(out, what.lease);
    if (json) {
        append_json(out, what.mine);
    } else {
        redis::append_word(out, "");
        redis::append_word(out, "");
    }
    append_number(out, what.reserve);
    append_number(out, what.reserved);
}

core::hold_reply read(const core::count_request& what, const redis::reply_view& reply)
{
    if (!is_plain(what.mine)) return read_hold(reply);
    const core::extend_request extend{.mine = what.mine, .lease = what.lease};
    return read(std::span{&extend, 1}, reply).front();
}

core::hold_reply read(const core::check_request& /*what*/, const redis::reply_view& reply)
{
    return read_hold(reply);
}

core::hold_reply read(const core::release_request& /*what*/, const redis::reply_view& reply)
{
    return read_hold(reply);
}

std::vector<core::hold_reply> read(std::span<const core::extend_request> all,
                                   const redis::reply_view& reply)
{
    std::vector<core::hold_reply> got;
    if (reply.is_error() || reply.size() != all.size()) {
        got.assign(all.size(), reply.is_error() ? read_hold(reply) : senseless(reply));
        return got;
    }
    got.reserve(all.size());
    reply.for_each([&got](const redis::reply_view& each) { got.push_back(read_hold(each)); });
    return got;
}

core::keep_reply read(const core::keep_request& what, const redis::reply_view& reply)
{
    if (reply.is_error()) {
        auto got = failure_of_error(reply.text());
        if (got.what == core::failure_kind::not_a_lock) return hold_status::not_a_lock;
        return got;
    }
    if (reply.size() != 3) return senseless(reply);
    switch (reply[0].integer()) {
    case 2: return core::handed_over{};
    case 1: {
        const auto fence = fence_in(reply[1].integer());
        // A number that may have been used already would let an old holder pass for a new one.
        if (!fence || *fence <= what.reserved) return senseless(reply);
        return core::kept{.fence = *fence};
    }
    case 0: return hold_status::vanished;
    case -1: return hold_status::taken;
    case -2: return core::superseded{};
    default: return senseless(reply);
    }
}

}  // namespace pawl::store
