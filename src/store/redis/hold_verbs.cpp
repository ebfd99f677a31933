#include "store/redis/hold_verbs.h"

#include "store/redis/announcement.h"
#include "store/redis/condition_verbs.h"
#include "store/redis/storage.h"

namespace pawl::store {

namespace scripts = redis::scripts;
using core::claim;
using core::hold_status;

namespace {

bool is_plain(const claim& mine)
{
    return storage_of(*mine.what) == storage::plain;
}

const script_set& scripts_for(const claim& mine)
{
    return scripts_of(storage_of(*mine.what));
}

// The numbers of the request are not used: each lock may have been handed over by itself since then.
void append_release_of_set(std::string& out, const core::release_request& what,
                           const script_style& how, wall_time now)
{
    const auto& object = *what.mine.what;
    open_call(out, scripts_for(what.mine).release, how, object,
              2 + (what.announce ? object.parts.size() : 0));
    redis::append_word(out, what.mine.holder);
    redis::append_word(out, core::part_holder(what.mine.holder));
    if (!what.announce) return;
    for (const auto& lock : object.parts) {
        redis::append_word(out, announcement(lock, what.mine.holder, now));
    }
}

// Arguments at the end are left out if they are not needed. Each argument costs the server as much as a few lines of
// the script.
void append_release_of_one(std::string& out, const core::release_request& what,
                           const script_style& how, wall_time now)
{
    std::size_t arguments = 2;
    if (what.announce) arguments = 3;
    if (what.has_reserve) arguments = 4;
    open_call(out, scripts_for(what.mine).release, how, *what.mine.what, arguments);
    redis::append_word(out, what.mine.holder);
    append_number(out, what.used);
    if (arguments >= 3) append_announcement(out, what.mine, what.announce, now);
    if (arguments >= 4) redis::append_word(out, "1");
}

}  // namespace

void append(std::string& out, const core::count_request& what, const script_style& how)
{
    // A plain lock does not store a count, so a re-entry only extends the lease.
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
    const auto locks = core::names_of(*what.mine.what);
    open_call(out, *scripts_for(what.mine).check, how, locks.size(), 1);
    for (const auto& lock : locks) redis::append_word(out, lock);
    append_holder(out, what.mine);
}

void append(std::string& out, std::span<const core::extend_request> all, const script_style& how)
{
    const bool are_sets = is_set(storage_of(*all.front().mine.what));
    std::size_t keys = 0;
    for (const auto& each : all) keys += core::names_of(*each.mine.what).size();
    const std::size_t arguments = are_sets ? 3 : 2;
    open_call(out, *scripts_for(all.front().mine).renew, how, keys, arguments * all.size());
    for (const auto& each : all) {
        for (const auto& lock : core::names_of(*each.mine.what)) redis::append_word(out, lock);
    }
    for (const auto& each : all) {
        append_holder(out, each.mine);
        append_milliseconds(out, each.lease);
        if (are_sets) append_number(out, core::names_of(*each.mine.what).size());
    }
}

void append(std::string& out, const core::release_request& what, const script_style& how,
            wall_time now)
{
    const auto& script = scripts_for(what.mine).release;
    const auto& object = *what.mine.what;
    if (object.condition != nullptr) return append_leave(out, what, how, now);
    switch (storage_of(object)) {
    case storage::members:
        open_call(out, script, how, object, 3);
        append_holder(out, what.mine);
        redis::append_word(out, capacity_text(object));
        append_announcement(out, what.mine, what.announce, now);
        return;
    case storage::set_of_plain:
    case storage::set_of_hash: return append_release_of_set(out, what, how, now);
    case storage::gate:
    case storage::watch:
        open_call(out, script, how, object, 1);
        append_holder(out, what.mine);
        return;
    case storage::once:
        open_call(out, script, how, object, 4);
        redis::append_word(out, what.mine.holder);
        append_number(out, what.used);
        append_announcement(out, what.mine, what.announce, now);
        redis::append_word(out, what.used_up ? "1" : "");
        return;
    case storage::plain:
    case storage::hash:
    case storage::term: return append_release_of_one(out, what, how, now);
    }
}

void append(std::string& out, const core::keep_request& what, const script_style& how,
            wall_time now)
{
    const auto& script = is_plain(what.mine) ? scripts::plain_keep : scripts::hash_keep;
    open_call(out, script, how, *what.mine.what, 6);
    redis::append_word(out, what.mine.holder);
    append_number(out, what.used);
    append_announcement(out, what.mine, what.announce, now);
    append_milliseconds(out, what.lease);
    append_number(out, what.reserve);
    append_number(out, what.reserved);
}

void append(std::string& out, const core::resize_request& what, const script_style& how)
{
    open_call(out, scripts::members_resize, how, *what.what, 3);
    redis::append_word(out, "");
    append_number(out, what.capacity);
    if (what.after) {
        append_number(out, *what.after);
    } else {
        redis::append_word(out, "");
    }
}

core::hold_reply read(const core::count_request& what, const redis::reply_view& reply)
{
    if (!is_plain(what.mine)) return read_hold(reply);
    const core::extend_request extend{.mine = what.mine, .lease = what.lease};
    return read(std::span{&extend, 1}, reply).front();
}

core::resize_reply read(const core::resize_request& /*what*/, const redis::reply_view& reply)
{
    if (reply.is_error()) return failure_of_error(reply.text());
    const auto answer = read_answer(reply, 2);
    if (!answer) return senseless(reply);
    if (answer->code == -2) {
        return core::failure{.what = core::failure_kind::not_a_lock,
                             .detail = "it is a shared_mutex"};
    }
    const bool is_set = answer->code == 1;
    if ((!is_set && answer->code != 0) || answer->number < 0) return senseless(reply);
    return core::resized{.number = static_cast<std::uint64_t>(answer->number), .is_set = is_set};
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
    const auto answer = read_answer(reply, 2);
    if (!answer) return senseless(reply);
    switch (answer->code) {
    case 2: return core::handed_over{};
    case 1: {
        const auto fence = fence_in(answer->number);
        // If the number was used before, an old holder could be taken for the new one.
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
