// The server's side: the commands that it executes, and its messages. exclusive_grants.cpp has the grants.
#include "sim/exclusive_checker.h"

#include "core/acquire.h"
#include "redis/resp.h"
#include "sim/checker_words.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"
#include "store/redis/reading.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;

namespace {

bool is_busy(std::int64_t code)
{
    return code == 0 || code == -2 || code == -3;
}

}  // namespace

void exclusive_checker::before(const std::vector<std::string_view>& words)
{
    holders_before_.clear();
    const auto call = read_call(words);
    if (!call || call->what == kind::acquire) return;
    const bool one_lock = call->what == kind::keep || call->what == kind::release;
    for (const auto& key : call->keys.first(one_lock ? 1 : call->keys.size()))
        holders_before_.push_back(server_->holder_of(key));
}

void exclusive_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    if (words[0] == "SET") after_bare_take(words, reply);
    if (words[0] == "INCR") after_bare_count(words, reply);
    const auto call = read_call(words);
    count_script(call, reply);
    if (!call) return;
    const auto first = index_of(call->keys[0]).value();
    check_order(*call, reply, first);
    if (call->what == kind::acquire) {
        after_acquire(*call, reply);
    } else {
        for (std::size_t i = 0; i < call->keys.size(); ++i) {
            if (i < holders_before_.size()) after_change(*call, i, reply);
        }
    }
    own_[first].handed_to.reset();
}

// A bare acquire is two commands, SET and INCR. Commands of other clients may be executed between them,
// and an INCR among those uses up a number in vain. The number of this acquire counts from the moment
// INCR returned it, but only if the client accepts it: the client may distrust the number.
void exclusive_checker::after_bare_take(const std::vector<std::string_view>& words,
                                        std::string_view reply)
{
    if (!reply.starts_with("+OK")) return;
    const auto index = index_of(words[1]).value();
    auto& lock = own_[index];
    const std::string holder{words[2]};
    auto& record = record_of(holder);
    if (record.given_up) {
        granted_late(record, index, false);
        // A client that gave up goes on giving the lock back for a while.
        const auto since = world_->now() - *record.given_up;
        if (since < core::latest_execution - 5s) record.granted_late = false;
        record.taken_late = world_->now();
    }
    record.lock = index;
    if (record.granted < 0ns) record.granted = world_->now();
    lock.bare = holder;
    trace_->note(index, [&] { return "server: " + short_id(holder) + " takes it, bare"; });
    const auto now = std::chrono::floor<std::chrono::milliseconds>(server_->clock());
    lock.queue.look_at_clock(now);
    const auto first = lock.queue.first(now, *server_);
    if (first && !lock.queue_unknown && plan_->locks[index].what == lock_plan::kind::fair) {
        fail("in order", index, short_id(*first) + " was overtaken");
    }
}

void exclusive_checker::after_bare_count(const std::vector<std::string_view>& words,
                                         std::string_view reply)
{
    const auto found = std::ranges::find_if(
        locks_, [&](const auto& each) { return store::fence_key(each.name) == words[1]; });
    if (found == locks_.end() || !reply.starts_with(':')) return;
    const auto index = static_cast<std::size_t>(found - locks_.begin());
    auto& lock = own_[index];
    if (!lock.bare) return;
    const auto holder = *lock.bare;
    // If the lock was deleted between the two commands, the client may use the number all the same: it
    // cannot know.
    if (server_->holder_of(found->name) != holder && !excused(index, holder)) {
        lock.bare.reset();
        return;
    }
    const auto number = static_cast<std::uint64_t>(code_of(reply, 0));
    trace_->note(index, [&] {
        return "server: " + short_id(holder) + " gets the number " + std::to_string(number);
    });
    // A number that a keep granted, and that was returned unused, is given out again.
    const bool grows = number > lock.last_fence && !lock.order[number].used;
    lock.order[number] = {.place = ++lock.grants,
                          .holder = holder,
                          .reserve = 0,
                          .used = false,
                          .offered = true,
                          .grows = grows};
}

// After a release, a renewal or another request about a hold.
void exclusive_checker::after_change(const script_call& call, std::size_t i, std::string_view reply)
{
    const auto& was = holders_before_[i];
    const auto is = server_->holder_of(call.keys[i]);
    const auto index = index_of(call.keys[i]).value();
    auto& lock = own_[index];
    const auto code = code_of(reply, i);
    const bool done = code == 1 || (call.what == kind::keep && code == 2);
    trace_->note(index, [&] {
        return "server: " + std::string{name_of(call.what)} + " for " + short_id(call.holder(i)) +
               (done ? " done" : " refused");
    });
    if (call.what == kind::release) record_of(call.holder()).released = true;
    if (call.what == kind::keep && code == 1) {
        grants(index, call.holder(), fence_in(reply), call.keys[1]);
    }
    if (call.what == kind::release && done && is && is != lock.handed_to) {
        fail("released is free", index, short_id(*is) + " still holds it");
    }
    if (done && was != call.holder(i)) {
        fail("only the owner", index,
             "done for " + short_id(call.holder(i)) + ", which is not the holder");
    }
    if (is && is != was && is != lock.handed_to) {
        fail("what ended stays ended", index, "a lease that had ended exists again");
    }
    if (was && is != was && was != call.holder(i)) {
        fail("only the owner", index, "freed by " + short_id(call.holder(i)));
    }
}

void exclusive_checker::told(std::string_view push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto view = parser.reply(push);  // its kind, the channel, the text
    const auto got = store::read_message(view[2].text());
    if (!got || got->what != store::message::kind::grant) return;
    const auto index = index_of(got->lock).value();
    auto& lock = own_[index];
    if (lock.handed_to && *lock.handed_to != got->holder) {
        fail("one is told", index, "two waiters are told of one release");
    }
    lock.handed_to = got->holder;
    lock.handed_fence = got->fence;
}

// The order of arrival: a waiter that can be reached is not passed over, and no waiter of a fair lock is
// overtaken.
void exclusive_checker::check_order(const script_call& call, std::string_view reply,
                                    std::size_t index)
{
    if (reply.starts_with('-')) return;
    auto& lock = own_[index];
    const auto now = std::chrono::floor<std::chrono::milliseconds>(server_->clock());
    lock.queue.look_at_clock(now);
    const auto code = code_of(reply, 0);
    const bool acquires = call.what == kind::acquire;
    const bool passes = (call.what == kind::release && code == 1) ||
                        (call.what == kind::keep && code >= 1) || (acquires && lock.handed_to);
    if (passes) {
        const auto wronged = lock.queue.passes(lock.handed_to, now, *server_);
        if (wronged && !lock.queue_unknown) {
            fail("in order", index, short_id(*wronged) + " was passed over");
        }
    }
    if (lock.handed_to) grants(index, *lock.handed_to, lock.handed_fence, call.keys[1]);
    if (call.what == kind::release && code != 1) lock.queue.left(call.holder());
    if (!acquires) return;
    if (code == 1 && call.is_fair() && !lock.queue.opens_with(call.holder())) {
        const auto first = lock.queue.first(now, *server_);
        if (first && !lock.queue_unknown) {
            fail("in order", index, short_id(*first) + " was overtaken");
        }
        // The waiters that could not be reached have lost their places.
        lock.queue.clear();
    }
    if (code == 1 || code == 2) lock.queue.left(call.holder());
    const auto holder = server_->holder_of(locks_[index].name);
    if (is_busy(code) && plan_->is_calm() && holder) watch_lingering(index, *holder);
    // A first request that was overtaken by its own repetition does not wait for itself.
    const bool is_kept = now < call.kept_until();
    if (is_busy(code) && call.joins() && is_kept && holder != call.holder()) {
        lock.queue.joined(call.holder(), call.client(), call.kept_until());
        gets_place(index, call);
    }
}

// A client asks for a lock that lingers in another one. If nothing goes wrong, that client gives it back
// within two round trips.
void exclusive_checker::watch_lingering(std::size_t lock, const std::string& holder)
{
    const auto& record = record_of(holder);
    if (holder.size() == id_digits || !record.left || record.holds == 0) return;
    world_->after(50 * plan_->delay + 100ms, [this, lock, holder, holds = record.holds] {
        const auto& now = record_of(holder);
        if (server_->holder_of(locks_[lock].name) == holder && now.left && now.holds == holds) {
            fail("nobody is forgotten", lock,
                 short_id(holder) + " lingers although the lock is wanted");
        }
    });
}

// The server grants the lock, or gives its holder new numbers.
void exclusive_checker::grants(std::size_t index, std::string_view holder, std::uint64_t fence,
                               std::string_view fence_key)
{
    auto& lock = own_[index];
    trace_->note(index, [&] {
        return "server grants it to " + short_id(holder) + ", fence " + std::to_string(fence);
    });
    const bool handed_over = lock.handed_to == holder;
    const bool kept = !handed_over && record_of(holder).granted >= 0ns &&
                      lock.order.contains(lock.last_fence) &&
                      lock.order[lock.last_fence].holder == holder;
    if (fence <= lock.last_fence) {
        fail("fence", index, std::to_string(fence) + " after " + std::to_string(lock.last_fence));
    }
    // A holder that keeps the lock may never hear of its new number. Another grant then gets it.
    if (!kept) lock.last_fence = fence;
    std::erase_if(lock.order, [&](const auto& each) {
        return each.first > fence && each.second.offered && !each.second.used;
    });
    const auto stored = server_->number_in(fence_key);
    lock.order[fence] = {.place = ++lock.grants,
                         .holder = std::string{holder},
                         .reserve = stored > fence ? stored - fence : 0};
    server_grants(index, holder, handed_over);
}

void exclusive_checker::after_acquire(const script_call& call, std::string_view reply)
{
    auto& record = record_of(call.holder());
    const auto index = index_of(call.keys[0]).value();
    if (reply.starts_with('-') || code_of(reply, 0) < 1) return;
    if (record.given_up) granted_late(record, index, call.arguments[1] != "0");
    grants(index, call.holder(), fence_in(reply), call.keys[1]);
}

void exclusive_checker::data_lost(bool known)
{
    for (auto& lock : own_) {
        lock.queue.clear();
        lock.queue_unknown = lock.queue_unknown || !known;
    }
}

}  // namespace pawl::sim
