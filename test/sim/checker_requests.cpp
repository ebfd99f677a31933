// What the clients send, and what all kinds of locks have in common when the server executes it.
#include "sim/checker.h"

#include "sim/checker_words.h"

#include <algorithm>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;

void checker::sent(const process& who, std::span<const std::string_view> words)
{
    if (words[0] == "SET") {
        auto& record = record_of(words[2]);
        record.who = &who;
        record.given_up.reset();
    }
    const auto call = read_call(words);
    if (!call) return;
    if (call->what == kind::acquire || call->what == kind::exchange || call->what == kind::vote) {
        auto& record = record_of(call->holder());
        record.who = &who;
        // A claim on a quorum may ask a node again while it is being given up.
        if (call->what != kind::vote || !record.left) record.given_up.reset();
        record.unheard = world_->now() - last_heard_[&who];
    }
    if (!call->is_renewal()) return;
    for (std::size_t i = 0; i < call->leases(); ++i) {
        auto& record = record_of(call->holder(i));
        ++record.renewals_sent;
        // A thread that does not run may take any time to give the lock back.
        if (!(plan_->has(fault::slow_threads) ? record.left : record.given_up)) continue;
        // A reader that was let in shares its process's lease, also while its thread does not run.
        const auto what = plan_->locks[record.lock].what;
        const bool is_shared =
            what == lock_plan::kind::shared || what == lock_plan::kind::readers_first;
        if (is_shared && plan_->has(fault::slow_threads)) continue;
        // Some renewals may have waited for a connection when the lock was released.
        const auto since = std::max(*record.given_up, who.last_stop_end());
        // The client's clock may be slow by a fifth, and the thread that ends the linger may be asleep. So may the
        // thread to which the lock was passed on: it still waits, as far as is known here.
        nanoseconds lingers = plan_->locks[record.lock].linger * 5 / 4;
        const bool passed_on = !locks_[record.lock].waiting.empty();
        if ((lingers > 0ns || passed_on) && plan_->has(fault::slow_threads)) {
            lingers += 2 * plan_->lease;
        }
        if (world_->now() > since + 2 * plan_->command_limit + lingers) {
            fail("renewals are few", record.lock,
                 short_id(call->holder(i)) + " is renewed after it was given back");
        }
    }
}

void checker::called(const process& who, std::span<const std::string_view> words)
{
    const auto call = read_call(words);
    const bool bare = words[0] == "SET";
    if (!bare && (!call || call->what != kind::acquire)) return;
    silences_.asked(who, index_of(bare ? words[1] : call->keys[0]).value());
}

void checker::submitted(const process& who, std::span<const std::string_view> words)
{
    called(who, words);
    const auto call = read_call(words);
    if (!call || !call->is_renewal()) return;
    for (std::size_t i = 0; i < call->leases(); ++i) {
        record_of(call->holder(i)).renewal_tried = world_->now();
        // To a quorum, a caller's extension looks the same.
        if (call->what == kind::renew) check_beat(who, call->holder(i));
    }
}

void checker::server_grants(std::size_t lock, std::string_view holder, bool handed_over)
{
    auto& record = record_of(holder);
    record.lock = lock;
    // A client that is told of a grant knows the server's clock from when it last asked.
    if (record.granted < 0ns) record.granted = handed_over ? record.asked : world_->now();
    const bool gave_up =
        record.left && world_->now() > *record.left + 2 * plan_->command_limit + 1s;
    if (handed_over && gave_up && !plan_->server_may_be_silent()) {
        fail("late is too late", lock,
             "handed over to " + short_id(holder) + ", which had given up");
    }
}

// A late request may be executed only if it did not say until when it is wanted.
void checker::granted_late(holder_record& record, std::size_t lock, bool bounded)
{
    // If its release has not been executed yet, that will free the lock.
    record.granted_late = record.released;
    // The bound is too late by as much as the server's clock was set back. It is also too late if the
    // thread that last heard the clock did not run for some time while it asked.
    const bool clock_is_right = !plan_->has(fault::server_back) &&
                                !plan_->has(fault::server_far_back) && !plan_->has(fault::stops) &&
                                !plan_->has(fault::slow_threads) && plan_->leases_are_kept();
    const auto limit = *record.given_up + 2 * plan_->command_limit + 1s + record.unheard / 10;
    if (bounded && clock_is_right && world_->now() > limit) {
        fail("late is too late", lock, "granted to a request that was given up long ago");
    }
}

// The server has given a place in its queue to the caller, or has renewed it.
void checker::gets_place(std::size_t lock, const script_call& call)
{
    const auto now = std::chrono::floor<std::chrono::milliseconds>(server_->clock());
    trace_->note(lock, [&] {
        return "server: " + short_id(call.holder()) + " waits, for " +
               std::to_string((call.kept_until() - now).count()) + " ms at most";
    });
    record_of(call.holder()).asked = world_->now();
    constexpr auto for_ever = -1ms;  // without a queue the reply is -2
    if (server_->ttl_of(call.keys[2]) == for_ever) {
        fail("nothing is left behind", lock, "the queue has no expiry");
    }
}

void checker::server_forgot(std::optional<std::size_t> only_lock)
{
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        if (!only_lock || *only_lock == i) locks_[i].forgotten = world_->now();
    }
}

}  // namespace pawl::sim
