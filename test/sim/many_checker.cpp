// The server's side: the scripts that it executes, and its messages. many_grants.cpp has the grants.
#include "sim/many_checker.h"

#include "core/object.h"
#include "redis/resp.h"
#include "sim/checker_words.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

bool is_part(std::string_view holder)
{
    return core::whole_holder(holder) != holder;
}

// The locks that a script names: it gets three keys of each, or only the lock.
std::vector<std::string> locks_in(const script_call& call)
{
    const bool three = call.what == kind::acquire || call.what == kind::release;
    std::vector<std::string> found;
    for (std::size_t i = 0; i < call.keys.size(); i += three ? 3 : 1) {
        found.emplace_back(call.keys[i]);
    }
    return found;
}

}  // namespace

many_checker::all_locks many_checker::look_at_all() const
{
    all_locks found;
    for (const auto& [name, record] : own_) {
        found[name] = {.holder = server_->holder_of(name),
                       .left = server_->ttl_of(name),
                       .queue = server_->waiters_in(store::queue_key(name))};
    }
    return found;
}

bool many_checker::is_told(std::string_view lock, std::string_view holder) const
{
    return std::ranges::any_of(
        told_, [&](const auto& each) { return each.lock == lock && each.holder == holder; });
}

bool many_checker::had_a_part(const change& what) const
{
    return std::ranges::any_of(
        what.locks, [&](const auto& lock) { return before_.at(lock).holder == what.part; });
}

bool many_checker::can_be_reached(const server::waiter& who) const
{
    const auto now = std::to_string(server_->clock().count());
    return now < who.place &&
           server_->has_listener(store::channel_of(std::string_view{who.place}.substr(14, 16)));
}

void many_checker::before(const std::vector<std::string_view>& words)
{
    told_.clear();
    if (read_call(words)) before_ = look_at_all();
}

void many_checker::told(std::string_view push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto view = parser.reply(push);  // its kind, the channel, the text
    const auto got = store::read_message(view[2].text());
    if (!got || got->what != store::message::kind::grant) return;
    const std::string lock{got->lock};
    // Each onlooker gets the message too.
    if (is_told(lock, got->holder)) return;
    if (std::ranges::find(told_, lock, &told_grant::lock) != told_.end()) {
        fail("one is told", index_of(lock), "two waiters are told of one release");
    }
    told_.push_back({lock, std::string{got->holder}, got->fence});
}

void many_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    const auto call = read_call(words);
    count_script(call, reply);
    if (!call) return;
    const auto is = look_at_all();
    const bool failed = reply.starts_with('-');
    change what{.call = *call,
                .locks = locks_in(*call),
                .holder = {},
                .part = {},
                .code = failed ? -1 : code_of(reply),
                .is = is};
    if (call->what != kind::renew) {
        what.holder = call->holder();
        what.part = call->many ? core::part_holder(what.holder) : what.holder;
    }
    trace_->note(std::nullopt, [&] {
        auto text = "server: " + std::string{name_of(call->what)} + " of " + what.locks.front() +
                    (call->many ? " and others" : "") + " for " + short_id(call->holder()) +
                    " returns " + (failed ? "an error" : std::to_string(what.code)) + ";";
        for (const auto& [name, lock] : is) {
            text += " " + name + " " + short_id(lock.holder.value_or("free"));
            if (!lock.queue.empty()) text += " (" + std::to_string(lock.queue.size()) + " wait)";
        }
        return text;
    });
    for (const auto& [name, lock] : is) {
        check_who_changed(what, name);
        check_leases(what, name);
    }
    for (const auto& each : told_) check_hand_over(what, each);
    if (failed) return;
    if (call->what == kind::acquire) after_acquire(what, reply);
    if (call->what == kind::release) after_release(what);
    if (call->what == kind::renew || call->what == kind::check) check_answers(what, reply);
    for (std::size_t i = 0; i < locks_.size(); ++i) check_exclusion(i);
}

// A holder enters when it acquires or is told, and leaves when it releases. A part also leaves when its set asks and
// cannot get the rest. Nothing else changes who has a lock.
void many_checker::check_who_changed(const change& what, const std::string& lock)
{
    const auto& was = before_.at(lock).holder;
    const auto& is = what.is.at(lock).holder;
    if (was == is) return;
    const bool named = std::ranges::find(what.locks, lock) != what.locks.end();
    const bool owns = named && was && (was == what.holder || was == what.part);
    const bool acquires = what.call.what == kind::acquire;
    if (is) check_entry(what, lock);
    if (was && !is) {
        const bool left = owns && (what.call.what == kind::release || (acquires && is_part(*was)));
        if (!left) fail("only the owner", index_of(lock), short_id(*was) + " was put out");
        const auto& queue = before_.at(lock).queue;
        const auto forgotten = std::ranges::find_if(queue, [&](const auto& each) {
            return each.holder != what.part && can_be_reached(each);
        });
        if (forgotten != queue.end()) {
            fail("nobody is forgotten", index_of(lock),
                 short_id(forgotten->holder) + " was not let in");
        }
    }
}

void many_checker::check_entry(const change& what, const std::string& lock)
{
    const auto& was = before_.at(lock).holder;
    const auto& is = what.is.at(lock).holder;
    const bool acquired = what.call.what == kind::acquire && what.code >= 1 && is == what.holder;
    const bool handed = is_told(lock, *is);
    if (!acquired && !handed) {
        fail("what ended stays ended", index_of(lock), short_id(*is) + " has it again");
    }
    if (!was) return;
    const bool owns = was == what.holder || was == what.part;
    // A set that has a part may take the part of another one.
    const bool takes_part = acquired && what.call.many && is_part(*was) && had_a_part(what);
    const bool gives_back = owns && (what.call.what == kind::release ||
                                     (what.call.what == kind::acquire && is_part(*was)));
    if (!(acquired && owns) && !takes_part && !(handed && gives_back)) {
        fail("only the owner", index_of(lock), short_id(*was) + " was put out");
    }
}

// No lease is made shorter. A part is short, and is not prolonged.
void many_checker::check_leases(const change& what, const std::string& lock)
{
    const auto& was = before_.at(lock);
    const auto& is = what.is.at(lock);
    if (!is.holder) return;
    if (is_part(*is.holder)) {
        const bool longer = was.holder == is.holder && is.left > was.left;
        // A clock that goes back makes every lease longer.
        const bool clock_goes_back =
            plan_->has(fault::server_back) || plan_->has(fault::server_far_back);
        if ((is.left > core::part_lease && !clock_goes_back) || longer) {
            fail("a part is short", index_of(lock),
                 short_id(*is.holder) + " has it for " + std::to_string(is.left.count()) + " ms");
        }
    } else if (was.holder == is.holder && is.left < was.left) {
        fail("what is renewed stays", index_of(lock), "a lease was made shorter");
    }
}

// The first waiter that can be told gets the lock.
void many_checker::check_hand_over(const change& what, const told_grant& given)
{
    grows(given.lock, given.fence);
    for (const auto& each : before_.at(given.lock).queue) {
        if (each.holder == given.holder) break;
        if (each.holder != what.part && can_be_reached(each)) {
            fail("in order", index_of(given.lock), short_id(each.holder) + " was passed over");
        }
    }
    // What a waiter does with a part is checked when it asks for the rest.
    if (is_part(given.holder)) return;
    granted_[given.holder].insert(given.fence);
    server_grants(index_of(given.lock).value(), given.holder, true);
}

void many_checker::after_acquire(const change& what, std::string_view reply)
{
    if (what.code >= 1) {
        all_are_taken(what, fence_in(reply));
    } else if (what.code == 0) {
        none_is_taken(what);
    }
}

void many_checker::all_are_taken(const change& what, std::uint64_t fence)
{
    const auto index = [&] {
        std::string name;
        for (const auto& lock : what.locks) name += (name.empty() ? "" : ", ") + lock;
        return index_of(name).value();
    }();
    for (const auto& lock : what.locks) {
        if (what.is.at(lock).holder != what.holder) {
            fail("all or none", index, short_id(what.holder) + " does not have " + lock);
        }
        grows(lock, fence);
        if (server_->number_in(store::fence_key(lock)) < fence) {
            fail("fence", index, "the server does not remember the fence of " + lock);
        }
        const auto& queue = before_.at(lock).queue;
        // A waiter at the head may take the lock when it looks, also if it could not be told.
        const auto first = std::ranges::find_if(queue, [&](const auto& each) {
            return each.holder == what.holder || can_be_reached(each);
        });
        if (!what.call.many && what.code == 1 && first != queue.end() &&
            first->holder != what.holder) {
            fail("in order", index, short_id(first->holder) + " was overtaken");
        }
    }
    if (what.call.many && places_of(what) > 0) {
        fail("nothing is left behind", index, short_id(what.holder) + " keeps a place");
    }
    auto& record = record_of(what.holder);
    if (record.given_up) granted_late(record, index, what.call.arguments[1] != "0");
    granted_[what.holder].insert(fence);
    server_grants(index, what.holder, false);
}

// While it waits, it holds none of them.
void many_checker::none_is_taken(const change& what)
{
    const auto index = index_of(what.locks.front());
    bool is_busy = false;
    for (const auto& lock : what.locks) {
        const auto& was = before_.at(lock).holder;
        if (what.call.many && what.is.at(lock).holder == what.part) {
            fail("all or none", index, short_id(what.part) + " waits with " + lock + " in hand");
        }
        const bool mine = was == what.holder || was == what.part;
        is_busy |= was && !mine && !(had_a_part(what) && is_part(*was));
        // A fair lock may have been handed over just now.
        is_busy |= !what.call.many && what.is.at(lock).holder;
    }
    if (!is_busy) {
        fail("nobody is forgotten", index,
             short_id(what.holder) + " was sent away, and nobody holds a lock");
    }
    if (what.call.many && places_of(what) > 1) {
        fail("all or none", index, short_id(what.part) + " is in two queues");
    }
    if (places_of(what) == 0) return;
    record_of(what.holder).asked = world_->now();
    for (const auto& lock : what.locks) {
        if (server_->ttl_of(store::queue_key(lock)) == -1ms) {
            fail("nothing is left behind", index, "the queue has no expiry");
        }
    }
}

// In how many queues the caller is.
std::size_t many_checker::places_of(const change& what) const
{
    return static_cast<std::size_t>(std::ranges::count_if(what.is, [&](const auto& each) {
        const auto& queue = each.second.queue;
        return std::ranges::find(queue, what.part, &server::waiter::holder) != queue.end();
    }));
}

void many_checker::after_release(const change& what)
{
    const auto index = index_of(what.locks.front());
    record_of(what.holder).released = true;
    bool had_all = true;
    for (const auto& lock : what.locks) {
        had_all = had_all && before_.at(lock).holder == what.holder;
        const auto& is = what.is.at(lock).holder;
        if (is && (is == what.holder || is == what.part)) {
            fail("released is free", index, short_id(*is) + " still holds " + lock);
        }
    }
    if ((what.code == 1) != had_all) {
        fail("only the owner", index,
             short_id(what.holder) + " is told a wrong result of its release");
    }
    if (places_of(what) > 0) {
        fail("nothing is left behind", index, short_id(what.part) + " is still in a queue");
    }
}

// Renewals and checks: each answer is about all locks of one holder.
void many_checker::check_answers(const change& what, std::string_view reply)
{
    const bool renews = what.call.what == kind::renew;
    auto next = what.locks.begin();
    for (std::size_t i = 0; i < (renews ? what.call.leases() : 1); ++i) {
        auto end = next + 1;
        if (what.call.many) {
            end = renews ? next + std::stol(std::string{what.call.arguments[3 * i + 2]})
                         : what.locks.end();
        }
        const bool had_all = std::all_of(next, end, [&](const auto& lock) {
            return before_.at(lock).holder == what.call.holder(i);
        });
        if ((code_of(reply, i) == 1) != had_all) {
            fail("only the owner", index_of(*next),
                 short_id(what.call.holder(i)) + " is told a wrong answer");
        }
        next = end;
    }
}

}  // namespace pawl::sim
