#include "sim/quorum_checker.h"

#include "redis/resp.h"
#include "sim/checker_words.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"

#include <algorithm>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;

quorum_checker::quorum_checker(const plan& plan, world& world, const node_list& nodes, trace& trace)
    : checker{plan, world, *nodes.front(), trace}, own_(plan.locks.size())
{
    for (const auto& each : nodes) {
        nodes_.emplace_back(*this, *each, static_cast<unsigned>(nodes_.size()));
    }
}

// ── What a node does ────────────────────────────────────────────────────────────────────────────

void quorum_checker::eye::before(const std::vector<std::string_view>& words)
{
    holders_before_.clear();
    waiters_before_.clear();
    const auto call = read_call(words);
    if (!call) return;
    for (const auto lock : call->locks_on_node()) {
        holders_before_.push_back(where_->holder_of(lock));
        waiters_before_.push_back(where_->tickets_in(store::tickets_key(lock)));
    }
    if (call->what == kind::hand_back) number_before_ = where_->number_in(call->keys[1]);
}

// By its own marker. The quarantine begins with the first request after the node was started.
bool quorum_checker::eye::is_in_quarantine(std::chrono::milliseconds length) const
{
    constexpr std::size_t digits = 13;
    const auto marker = where_->holder_of(store::node_key).value_or("");
    if (marker.size() < digits) return true;
    const std::chrono::milliseconds since{std::stoll(marker.substr(marker.size() - digits))};
    return where_->clock() < since + length;
}

bool quorum_checker::eye::keeps_place(std::string_view lock, std::string_view waiter) const
{
    constexpr std::size_t digits = 13;
    const auto place = where_->place_in(store::places_key(lock), waiter);
    if (place.size() < digits) return false;
    return where_->clock() <= std::chrono::milliseconds{std::stoll(place.substr(0, digits))};
}

void quorum_checker::eye::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    const auto call = read_call(words);
    owner_->count_script(call, reply);
    if (!call) return;
    owner_->after_script(number_, *call, reply, holders_before_, waiters_before_);
    if (call->what == kind::hand_back && !reply.starts_with('-')) {
        owner_->after_hand_back(number_, *call, reply, number_before_);
    }
}

void quorum_checker::after_script(unsigned node, const script_call& call, std::string_view reply,
                                  const std::vector<std::optional<std::string>>& holders_before,
                                  const std::vector<std::vector<std::string>>& waiters_before)
{
    auto& here = nodes_[node];
    const auto locks = call.locks_on_node();
    for (std::size_t i = 0; i < locks.size(); ++i) {
        const auto lock = index_of(locks[i]).value();
        const auto& was = holders_before[i];
        const auto is = here.where().holder_of(locks[i]);
        const auto holder = call.holder(i);
        trace_->note(lock, [&] {
            return "node " + std::to_string(node) + ": " + std::string{name_of(call.what)} +
                   " of " + short_id(holder) + ": " +
                   std::string{reply.substr(0, reply.find('\r'))} + ", " +
                   (is ? short_id(*is) + " has it" : "free");
        });
        if (was && was != holder && is != was) {
            fail("only the owner", lock, short_id(*was) + " lost its vote by " + short_id(holder));
        }
        // Restoring is for a holder that has the lock. All others wait until the node may vote again.
        const bool is_new = is && is != was;
        const auto drift =
            std::chrono::duration_cast<nanoseconds>(plan_->longest_lease * plan_->drift);
        const bool stepped = here.stepped > here.began;  // it may end too early
        if (is_new && call.what != kind::restore && here.began >= 0ns && !stepped &&
            world_->now() < here.began + plan_->longest_lease - drift) {
            fail("quarantine", lock,
                 "node " + std::to_string(node) + " votes although it was started again");
        }
        count_vote(node, lock, call, i, reply, was, is);
        if (!reply.starts_with('-')) check_answer(node, lock, call, i, reply, was, is);
        if (call.what == kind::vote) after_vote(node, lock, call, reply);
        if (call.what == kind::return_vote) record_of(holder).released = true;
        if (was && is != was) check_holds(lock, *was);
        // A restore gives no vote to a waiter, but the same request may restore two holders of one process.
        const bool chooses = call.what != kind::restore && is != holder;
        if (is_new && chooses) check_order(node, lock, *is, waiters_before[i]);
    }
}

// A node has voted for a waiter. Those with smaller tickets were removed, because nobody listens for them.
void quorum_checker::check_order(unsigned node, std::size_t lock, std::string_view chosen,
                                 const std::vector<std::string>& waiters_before)
{
    const auto now = nodes_[node].where().tickets_in(store::tickets_key(locks_[lock].name));
    for (const auto& each : waiters_before) {
        if (each == chosen) return;
        if (std::ranges::find(now, each) == now.end()) continue;
        fail("in order", lock, short_id(each) + " has a smaller ticket than " + short_id(chosen));
    }
}

// A holder has lost a vote. As long as it believes that it has the lock, it has the others.
void quorum_checker::check_holds(std::size_t lock, std::string_view holder)
{
    for (const auto* each : locks_[lock].believers) {
        if (each->holder == holder) check_lease_outlives(*each);
    }
}

void quorum_checker::after_hand_back(unsigned node, const script_call& call, std::string_view reply,
                                     std::uint64_t number_before)
{
    // After the client in the text of the place: how many numbers are reserved, and the lease.
    constexpr std::size_t reserve_at = 16;
    constexpr std::size_t lease_at = 20;
    const auto code = code_of(reply, 0);
    const auto lock = index_of(call.keys[0]).value();
    const std::string place{call.arguments[2]};
    const auto reserve = std::stoull(place.substr(reserve_at, lease_at - reserve_at));
    const auto named = std::stoull(std::string{call.arguments[1]});
    if (code > 0 && number_before != named + reserve) {
        fail("only the named vote", lock,
             short_id(call.holder()) + " hands back a vote that it got later");
    }
    const std::chrono::milliseconds lease{std::stoll(place.substr(lease_at))};
    if (code == 2 && nodes_[node].where().ttl_of(call.keys[0]) < lease) {
        fail("a kept vote lasts", lock, "node " + std::to_string(node) + " keeps a vote too short");
    }
}

// What the node says to the holder is true.
void quorum_checker::check_answer(unsigned node, std::size_t lock, const script_call& call,
                                  std::size_t i, std::string_view reply,
                                  const std::optional<std::string>& was,
                                  const std::optional<std::string>& is)
{
    const auto holder = call.holder(i);
    const bool restores = call.what == kind::restore;
    const auto code = code_of(reply, restores ? i + 1 : 0);
    const bool had = was == holder;
    const bool has = is == holder;
    bool wrong = false;
    switch (call.what) {
    case kind::vote: wrong = code > 0 && !has; break;
    case kind::hand_back: wrong = (code == 2 && !has) || (code == 1 && has); break;
    case kind::return_vote: wrong = (code == 1) != had || has; break;
    // In quarantine a vote that is found may be an old one: it does not count.
    case kind::raise:
        wrong = code == 1 ? !had || nodes_[node].is_in_quarantine(plan_->quarantine)
                          : code != -4 && had;
        break;
    case kind::restore: wrong = code > 0 && !has; break;
    default: break;
    }
    if (wrong) {
        fail("only the owner", lock,
             "node " + std::to_string(node) + " gives a wrong answer to " + short_id(holder));
    }
    if (restores && code > 0) check_rest(node, lock, call, i);
    if (restores && code == 2) check_restore(lock, holder);
    if (!restores || was) return;
    auto now = std::to_string(nodes_[node].where().clock().count());
    now.insert(0, std::max<std::size_t>(16, now.size()) - now.size(), '0');
    const bool may_vote = !nodes_[node].is_in_quarantine(plan_->quarantine);
    const bool is_held = call.arguments[5 + 5 * i] >= now;
    if (!may_vote && has && call.arguments[6 + 5 * i] < now) {
        fail("quarantine", lock,
             short_id(holder) + " gets a vote that it did not have before the node lost it");
    } else if (is_held && !is && may_vote) {
        // If another one has it now, the same request has restored that one first: the key was deleted, and two holders
        // of one process count on the lock.
        fail("votes are restored", lock, short_id(holder) + " does not get its vote again");
    } else if (!is_held && has) {
        fail("what ended stays ended", lock,
             short_id(holder) + " gets its vote again after its deadline");
    }
}

// A vote is restored only while its caller waits for it.
void quorum_checker::check_restore(std::size_t lock, std::string_view holder)
{
    const auto& record = record_of(holder);
    const bool clock_is_right = !plan_->has(fault::server_back) && !plan_->has(fault::stops) &&
                                !plan_->has(fault::slow_threads);
    if (!record.given_up || !clock_is_right) return;
    if (world_->now() > *record.given_up + 2 * plan_->command_limit + 1s + record.unheard / 10) {
        fail("late is too late", lock,
             short_id(holder) + " gets a vote again that it gave up long ago");
    }
}

void quorum_checker::after_vote(unsigned node, std::size_t lock, const script_call& call,
                                std::string_view reply)
{
    auto& record = record_of(call.holder());
    record.lock = lock;
    if (record.granted < 0ns) record.granted = world_->now();
    if (reply.starts_with('-')) return;
    if (code_of(reply, 0) == 1 && record.given_up) {
        granted_late(record, lock, call.arguments[1] != "0");
    }
    for (const auto& key : {store::tickets_key(call.keys[0]), store::places_key(call.keys[0])}) {
        constexpr auto for_ever = -1ms;
        if (nodes_[node].where().ttl_of(key) == for_ever) {
            fail("nothing is left behind", lock, key + " has no expiry");
        }
    }
}

void quorum_checker::node_tells(unsigned node, std::string_view push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto view = parser.reply(push);  // its kind, the channel, the text
    const auto got = store::read_message(view[2].text());
    if (!got || got->what != store::message::kind::grant) return;
    const auto lock = index_of(got->lock).value();
    trace_->note(lock, [&] {
        return "node " + std::to_string(node) + " tells " + short_id(got->holder) +
               " of its vote, number " + std::to_string(got->fence);
    });
}

void quorum_checker::node_lost(unsigned node)
{
    nodes_[node].lost = world_->now();
}

void quorum_checker::node_began(unsigned node)
{
    nodes_[node].began = world_->now();
    trace_->note(std::nullopt, [&] { return "node " + std::to_string(node) + " begins anew"; });
}

// ── Waiters, and what is left ───────────────────────────────────────────────────────────────────

nanoseconds quorum_checker::watch_period() const
{
    return 3 * checker::watch_period();
}

// Whether a waiter can get this node's vote: it is free, or another waiter of a living process has it.
bool quorum_checker::can_be_won(const eye& node, std::size_t lock) const
{
    const nanoseconds quarantine = plan_->quarantine * 5 / 4;
    if (node.began >= 0ns && world_->now() < node.began + quarantine) return false;
    const auto holder = node.where().holder_of(locks_[lock].name);
    return !holder || is_of_living_waiter(*holder) || is_kept_for_nobody(*holder);
}

bool quorum_checker::is_stalled(std::size_t lock) const
{
    const auto& record = locks_[lock];
    if (record.waiting.empty() || !record.believers.empty()) return false;
    const auto won =
        std::ranges::count_if(nodes_, [&](const eye& each) { return can_be_won(each, lock); });
    return static_cast<std::size_t>(won) > nodes_.size() / 2;
}

void quorum_checker::watch_waiting()
{
    // After a step of its clock, a node's votes do not count for the time of a quarantine.
    if (plan_->has(fault::server_forward) || plan_->has(fault::server_back)) return;
    for (std::size_t lock = 0; lock < own_.size(); ++lock) {
        auto& own = own_[lock];
        const bool stalled = is_stalled(lock);
        if (stalled && own.stalled_seen && own.grants == own.grants_seen) {
            fail("nobody is forgotten", lock, "there is a waiter, and a majority can be had");
        }
        own.stalled_seen = stalled;
        own.grants_seen = own.grants;
    }
}

void quorum_checker::check_orphans()
{
    if (may_be_left_behind()) return;
    for (auto& node : nodes_) {
        for (std::size_t i = 0; i < locks_.size(); ++i) {
            const auto& name = locks_[i].name;
            const auto holder = node.where().holder_of(name);
            if (holder && is_forgotten(*holder)) {
                fail("nothing is left behind", i,
                     short_id(*holder) + " was given up, and still has a vote");
            }
            for (const auto& waiter : node.where().tickets_in(store::tickets_key(name))) {
                if (!is_forgotten(waiter) || !node.keeps_place(name, waiter)) continue;
                fail("nothing is left behind", i, short_id(waiter) + " gave up, and has a place");
            }
        }
    }
}

void quorum_checker::check_leftovers()
{
    for (auto& each : nodes_) check_leftovers_at(each.where());
}

}  // namespace pawl::sim
