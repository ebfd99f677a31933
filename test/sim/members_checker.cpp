// The server's side: the scripts that it executes, and its messages. members_grants.cpp has the grants.
#include "sim/members_checker.h"

#include "redis/resp.h"
#include "sim/checker_words.h"
#include "store/redis/message.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;

namespace {

// The caller becomes a member, if it can.
bool enters(kind what)
{
    return what == kind::acquire || what == kind::exchange;
}

}  // namespace

members_state members_checker::look_at(std::size_t index)
{
    return {*server_, locks_[index].name, plan_->locks[index].capacity};
}

bool members_checker::is_told(std::string_view holder) const
{
    return std::ranges::any_of(told_,
                               [&](const auto& each) { return holder.starts_with(each.holder); });
}

void members_checker::before(const std::vector<std::string_view>& words)
{
    before_.clear();
    told_.clear();
    const auto call = read_call(words);
    if (!call) return;
    const bool many = call->what == kind::renew;
    for (const auto& key : call->keys.first(many ? call->keys.size() : 1)) {
        before_.push_back(look_at(index_of(key).value()));
    }
}

void members_checker::told(std::string_view push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto view = parser.reply(push);  // its kind, the channel, the text
    const auto got = store::read_message(view[2].text());
    if (!got || got->what != store::message::kind::grant) return;
    // Each onlooker gets the message too.
    if (!is_told(got->holder)) told_.push_back({std::string{got->holder}, got->fence});
}

void members_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    const auto call = read_call(words);
    count_script(call, reply);
    if (!call) return;
    for (std::size_t i = 0; i < before_.size(); ++i) {
        const auto index = index_of(call->keys[i]).value();
        const auto is = look_at(index);
        const bool failed = reply.starts_with('-');
        const change what{.lock = index,
                          .call = *call,
                          .number = i,
                          .code = failed ? -1 : code_of(reply, i),
                          .was = before_[i],
                          .is = is};
        trace_->note(index, [&] {
            return "server: " + std::string{name_of(call->what)} + " for " +
                   short_id(call->holder(i)) + " returns " +
                   (failed ? "an error" : std::to_string(what.code)) + "; " + is.describe();
        });
        check_sum(what);
        check_capacity(what);
        check_who_changed(what);
        if (failed) continue;
        check_reply(what);
        check_order(what);
        check_places(what);
        check_nobody_fits(what);
        note_grants(what, reply);
        if (call->what == kind::release) after_release(what, call->holder());
        if (call->what == kind::exchange && what.code >= 1) {
            // The rest of the old lease counts for the new holder.
            const auto& old = record_of(call->old_holder());
            record_of(call->holder()).leased = old.leased.value_or(old.granted);
            after_release(what, call->old_holder());
        }
    }
}

// In the order in which the script let them in: the caller has its turn in the queue. A newcomer enters last, and
// an exchange comes before all.
void members_checker::note_grants(const change& what, std::string_view reply)
{
    const auto caller = what.call.holder(what.number);
    bool caller_enters = enters(what.call.what) && what.code >= 1;
    const auto let_caller_in = [&] {
        if (std::exchange(caller_enters, false)) after_acquire(what, reply);
    };
    if (what.call.what == kind::exchange) let_caller_in();
    for (const auto& [holder, fence] : told_) {
        const auto* const place = what.was.place(holder);
        const auto* const own_place = what.was.place(caller);
        // Both are in one list, so the pointers have the order of the queue.
        if (place != nullptr && own_place != nullptr && own_place < place) let_caller_in();
        grant(what.lock, holder, place != nullptr && place->reads, fence);
        server_grants(what.lock, holder, true);
    }
    let_caller_in();
}

// The weights of the members are those that the server counts, and nobody enters above the capacity.
void members_checker::check_sum(const change& what)
{
    const bool entered = std::ranges::any_of(
        what.is.in(), [&](const auto& each) { return what.was.member(each.holder) == nullptr; });
    const bool too_full = what.is.is_too_full() && (entered || !what.was.is_too_full()) &&
                          what.call.what != kind::resize;
    if (!what.is.adds_up() || too_full) fail("weights", what.lock, what.is.describe());
}

// Whether this is a resize that is not late and was not executed before. The server may also have answered with an
// error, for example while it loads its data.
bool members_checker::resizes(const change& what)
{
    return what.call.what == kind::resize && what.code >= 0 &&
           what.call.after_resize() == what.was.last_resize();
}

std::uint64_t members_checker::resizes_to(std::size_t index, unsigned capacity) const
{
    const auto found = own_[index].resizes_to.find(capacity);
    return found == own_[index].resizes_to.end() ? 0 : found->second;
}

// Only a resize changes the capacity, and a copy of it that is late does not. If the server forgets the capacity, that
// of the programs counts.
void members_checker::check_capacity(const change& what)
{
    const auto valid = resizes(what) ? what.call.capacity() : what.was.capacity();
    if (resizes(what) && !own_[what.lock].resizes.insert(what.is.last_resize()).second) {
        fail("weights", what.lock, "two resizes have the same number");
    }
    if (resizes(what)) ++own_[what.lock].resizes_to[valid];
    if (!resizes(what) && what.is.last_resize() != what.was.last_resize()) {
        fail("weights", what.lock, "a resize was executed again, or too late");
    }
    if (what.is.capacity() != valid) {
        fail("weights", what.lock,
             "the capacity is " + std::to_string(what.is.capacity()) + ", and must be " +
                 std::to_string(valid));
    }
    auto& known = own_[what.lock].capacities;
    if (known.empty() || known.back().second != what.is.capacity()) {
        known.emplace_back(world_->now(), what.is.capacity());
    }
}

// A holder enters when it acquires or is told of a grant, and leaves when it releases. An exchange does both. Nothing
// else changes who is in, and no lease is shortened.
void members_checker::check_who_changed(const change& what)
{
    const auto caller = what.call.holder(what.number);
    for (const auto& each : what.is.in()) {
        const auto* const before = what.was.member(each.holder);
        const bool acquired = enters(what.call.what) && what.code >= 1;
        if (before == nullptr && !is_told(each.holder) &&
            !(acquired && caller.starts_with(each.holder))) {
            fail("what ended stays ended", what.lock, short_id(each.holder) + " is in again");
        }
        if (before != nullptr && (each.ends < before->ends || each.weight != before->weight)) {
            fail("what is renewed stays", what.lock, "a lease was made shorter");
        }
    }
    for (const auto& each : what.was.in()) {
        const bool released = what.call.what == kind::release && caller.starts_with(each.holder);
        const bool exchanged = what.call.what == kind::exchange && what.code >= 1 &&
                               what.call.old_holder().starts_with(each.holder);
        if (!released && !exchanged && what.is.member(each.holder) == nullptr) {
            fail("only the owner", what.lock, short_id(each.holder) + " was put out");
        }
    }
}

// The server says what is true.
void members_checker::check_reply(const change& what)
{
    const auto caller = what.call.holder(what.number);
    const bool was_in = what.was.member(caller) != nullptr;
    const bool is_in = what.is.member(caller) != nullptr;
    const bool done = what.code >= 1;
    switch (what.call.what) {
    case kind::acquire:
    case kind::exchange:
        if (done != is_in && !(is_in && was_in)) {
            fail("valid when granted", what.lock, short_id(caller) + " was granted, and is not in");
        }
        return;
    case kind::resize:
        if (done != resizes(what)) {
            fail("only the owner", what.lock,
                 done ? "a resize was not executed" : "a resize was refused");
        }
        return;
    case kind::release:
        if (is_in) fail("released is free", what.lock, short_id(caller) + " is still in");
        [[fallthrough]];
    default:
        if (done == was_in) return;
        fail("only the owner", what.lock,
             short_id(caller) +
                 (done ? " was not in, and it was done" : " was in, and was refused"));
    }
}

// Waiters are let in from the head of the queue, one after the other. Nobody is let in before one that waits ahead of
// it.
void members_checker::check_order(const change& what)
{
    const auto caller = what.call.holder(what.number);
    const bool acquires = what.call.what == kind::acquire;
    const auto* blocker = static_cast<const members_state::waiter*>(nullptr);
    bool caller_had_turn = false;
    auto next = told_.begin();
    for (const auto& each : what.was.queue()) {
        if (next != told_.end() && next->holder == each.holder) {
            if (blocker != nullptr) break;
            ++next;
        } else if (caller.starts_with(each.holder)) {
            if (acquires && what.code < 1 && each.can_enter) blocker = &each;
            // Those behind it may be let in after it.
            if (acquires && what.code >= 1 && blocker == nullptr) caller_had_turn = true;
        } else if (each.can_enter && blocker == nullptr) {
            blocker = &each;
        }
    }
    if (next != told_.end() && blocker != nullptr) {
        fail("in order", what.lock,
             short_id(next->holder) + " was let in before " + short_id(blocker->holder));
    }
    const bool fair = plan_->locks[what.lock].what != lock_plan::kind::readers_first;
    if (acquires && what.code == 1 && fair && blocker != nullptr && !caller_had_turn) {
        fail("in order", what.lock, short_id(blocker->holder) + " was overtaken");
    }
}

// The waiters keep their places, and a new one has the last place.
void members_checker::check_places(const change& what)
{
    const auto caller = what.call.holder(what.number);
    auto next = what.is.queue().begin();
    for (const auto& each : what.was.queue()) {
        if (next != what.is.queue().end() && next->holder == each.holder) {
            ++next;
        } else if (each.can_enter && !caller.starts_with(each.holder) && !is_told(each.holder)) {
            fail("nobody is forgotten", what.lock, short_id(each.holder) + " lost its place");
            return;
        }
    }
    const bool joined = what.call.what == kind::acquire && next != what.is.queue().end() &&
                        caller.starts_with(next->holder);
    if (joined) ++next;
    if (next != what.is.queue().end()) {
        fail("in order", what.lock, "the queue has an order that is not that of arrival");
    }
    if (what.call.what == kind::acquire && what.code == 0 && what.is.place(caller) != nullptr) {
        gets_place(what.lock, what.call);
    }
}

// After a script that lets in waiters, the first one does not fit; and a caller that fits is not sent away.
void members_checker::check_nobody_fits(const change& what)
{
    const auto caller = what.call.holder(what.number);
    const bool acquires = what.call.what == kind::acquire;
    const bool lets_in = (acquires && what.code >= 0) || what.call.what == kind::release ||
                         resizes(what) || (what.call.what == kind::exchange && what.code >= 1);
    if (!lets_in) return;
    const auto* const first = what.is.first(caller);
    if (first != nullptr && what.is.has_room_for(first->weight)) {
        fail("nobody is forgotten", what.lock, short_id(first->holder) + " was not let in");
    }
    const bool is_first = first == nullptr || caller.starts_with(first->holder);
    if (acquires && what.code == 0 && is_first && what.is.member(caller) == nullptr &&
        what.is.has_room_for(weight_in(caller))) {
        fail("nobody is forgotten", what.lock, short_id(caller) + " fits, and was not let in");
    }
}

void members_checker::after_acquire(const change& what, std::string_view reply)
{
    const auto& call = what.call;
    auto& record = record_of(call.holder());
    if (record.given_up) granted_late(record, what.lock, call.arguments[1] != "0");
    grant(what.lock, call.holder(), call.reads(), fence_in(reply));
    server_grants(what.lock, call.holder(), false);
}

// `holder` has left.
void members_checker::after_release(const change& what, std::string_view holder)
{
    record_of(holder).released = true;
    if (what.code < 1) return;
    auto& lock = own_[what.lock];
    const auto found = lock.granted.find(holder.substr(0, id_digits));
    const bool writes = weight_in(holder) == plan_->locks[what.lock].capacity;
    if (found == lock.granted.end() || !writes) return;
    auto greatest = *found->second.fences.rbegin();
    if (!lock.writers_left.empty()) greatest = std::max(greatest, lock.writers_left.back().second);
    lock.writers_left.emplace_back(world_->now(), greatest);
}

}  // namespace pawl::sim
