#include "store/quorum/quorum_store.h"

#include "store/blocking_call.h"
#include "store/quorum/log_records.h"
#include "store/quorum/node.h"
#include "store/quorum/owned_request.h"
#include "store/quorum/rounds.h"
#include "store/redis/announcement.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace pawl::store {

using base::boot_time;
using std::chrono::milliseconds;

namespace {

std::vector<std::string> shown_of(const std::vector<std::unique_ptr<redis::transport>>& ways)
{
    std::vector<std::string> all;
    all.reserve(ways.size());
    for (const auto& each : ways) all.push_back(each->shown());
    return all;
}

// Null if it is another request.
template <class Request>
const Request* exchange_in(const core::request& what)
{
    const auto* const any = std::get_if<core::exchange_request>(&what);
    return any != nullptr ? std::get_if<Request>(any) : nullptr;
}

}  // namespace

quorum_store::quorum_store(const std::shared_ptr<base::platform>& platform, base::scheduler& loop,
                           std::vector<std::unique_ptr<redis::transport>> ways, settings how)
    : platform_{platform},
      loop_{&loop},
      how_{std::move(how)},
      random_{[&here = *platform] { return here.random_unit(); }},
      names_{shown_of(ways)},
      nodes_{names_, how_.clock_drift, how_.quarantine}
{
    for (auto& each : ways) {
        const auto index = static_cast<unsigned>(servers_.size());
        servers_.push_back(std::make_unique<node>(*this, index, std::move(each)));
    }
}

quorum_store::~quorum_store() = default;

// ── Requests ────────────────────────────────────────────────────────────────────────────────────

core::reply quorum_store::execute(const core::request& what, boot_time until,
                                  const base::interrupt* stop)
{
    // A copy: the loop may read it after this thread has stopped waiting.
    const auto asked = std::make_shared<const owned_request>(what);
    auto got = blocking_call<core::reply>::run(
        *platform_, *loop_,
        [this, asked, until](reply_handler done) { begin(asked->get(), until, std::move(done)); },
        until, stop);
    if (got) return std::move(*got);
    const bool cancelled = stop != nullptr && stop->token().stop_requested();
    using kind = core::failure_kind;
    return core::failed(what, {.what = cancelled ? kind::cancelled : kind::no_reply,
                               .detail = cancelled ? "" : "no answer within the limit",
                               .maybe_executed = true});
}

void quorum_store::submit(core::request what, milliseconds patience, still_wanted /*wanted*/,
                          reply_handler done)
{
    const auto until = platform_->now() + patience;
    const bool outer = std::exchange(beginning_, true);
    begin(what, until, [this, done = std::move(done)](core::reply got) {
        if (!beginning_) return done(std::move(got));
        // It must not be called from inside submit().
        loop_->post([done, got = std::move(got)] { done(got); });
    });
    beginning_ = outer;
}

void quorum_store::begin(const core::request& what, boot_time limit, reply_handler done)
{
    // A little earlier than the caller gives up, so that it hears which nodes have not answered.
    const auto now = platform_->now();
    const auto until = limit - std::max(limit - now, base::boot_clock::duration{0}) / 10;
    if (const auto* const acquire = std::get_if<core::acquire_request>(&what)) {
        begin_acquire(*acquire, until, std::move(done));
    } else if (const auto* const renew = std::get_if<core::renew_request>(&what)) {
        begin_renew(*renew, until, std::move(done));
    } else if (const auto* const release = exchange_in<core::release_request>(what)) {
        begin_release(*release, until, std::move(done));
    } else if (const auto* const extend = exchange_in<core::extend_request>(what)) {
        begin_extend(*extend, until, std::move(done));
    } else if (const auto* const count = exchange_in<core::count_request>(what)) {
        // The nodes keep no count: this client has it. But the lease begins anew.
        begin_extend({.mine = count->mine, .lease = count->lease}, until, std::move(done));
    } else if (const auto* const check = exchange_in<core::check_request>(what)) {
        begin_check(*check, until, std::move(done));
    } else if (const auto* const keep = exchange_in<core::keep_request>(what)) {
        begin_keep(*keep, until, std::move(done));
    } else {
        done(core::failed(what, {.what = core::failure_kind::refused,
                                 .detail = "a quorum does not have this kind of object"}));
    }
}

void quorum_store::begin_acquire(const core::acquire_request& what, boot_time until,
                                 reply_handler done)
{
    const auto now = platform_->now();
    const auto who = find_or_add(what.mine);
    who->client = what.client;
    who->longest = std::max(who->longest, what.lease);
    who->acquired = std::move(done);
    std::vector<bool> avoided(nodes_.size());
    for (unsigned i = 0; i < nodes_.size(); ++i) {
        avoided[i] = who->returning && !who->returning->is_clean(i, now);
        if (!who->returning || avoided[i]) continue;
        // What is planned there would take the votes of this claim away. The next return does it instead.
        auto& late = who->past[i].asked_late;
        late = std::max(late, who->returning->late_until(i));
        who->returning->leave_out(i);
    }
    if (!who->claim) who->claim.emplace(nodes_, who->name(), random_);
    auto asked = what;
    asked.mine = who->name();
    asked.client = who->client;
    asked.until = std::min(asked.until, until);
    who->claim->ask(asked, avoided, now);
    proceed(who);
}

void quorum_store::begin_release(const core::release_request& what, boot_time until,
                                 reply_handler done)
{
    const auto now = platform_->now();
    const auto who = find_or_add(what.mine);
    who->released = std::move(done);
    if (who->claim || !who->returning) {
        give_back(who, &what, now);
    } else {
        who->returning->send_again(now);
    }
    who->returning->ask(until, now);
    proceed(who);
}

// From now on the claim is over: what its votes say counts no more.
void quorum_store::give_back(const holder_ptr& who, const core::release_request* last,
                             boot_time now)
{
    if (last != nullptr && last->announce && who->announcement.empty()) {
        who->announcement = announcement(who->what.name, who->id, platform_->wall_time());
    }
    auto plan = who->parting(last, nodes_.size(), now);
    who->claim.reset();
    who->returning.emplace(nodes_, who->name(), std::move(plan), now);
}

quorum_store::holder_ptr quorum_store::find(std::string_view id) const
{
    const auto found = holders_.find(id);
    return found != holders_.end() ? found->second : nullptr;
}

quorum_store::holder_ptr quorum_store::find_or_add(const core::claim& mine)
{
    auto who = find(mine.holder);
    if (who) return who;
    who = std::make_shared<holder>(mine, nodes_.size());
    holders_.emplace(who->id, who);
    return who;
}

// Null if this holder does not have the lock.
quorum_store::holder_ptr quorum_store::held(std::string_view id) const
{
    auto who = find(id);
    return who && who->claim && who->claim->held() ? who : nullptr;
}

// ── What the machines want ──────────────────────────────────────────────────────────────────────

// After each event of a holder.
void quorum_store::proceed(const holder_ptr& who)
{
    const auto now = platform_->now();
    std::optional<core::acquire_reply> acquired;
    std::optional<core::grant_notice> notice;
    if (who->claim) {
        auto next = who->claim->take_effects();
        for (const auto& each : next.sends) send(who, each);
        acquired = std::move(next.answer);
        notice = std::move(next.granted);
        if (who->claim->held()) nodes_.seen(who->claim->held()->fence);
        const auto* const others = acquired ? std::get_if<core::busy>(&*acquired) : nullptr;
        if (others != nullptr && !others->shortage.empty()) warn_of_shortage(others->shortage, now);
        if (next.ends) give_back(who, nullptr, now);
    }
    std::optional<core::hold_reply> released;
    if (who->returning) {
        auto next = who->returning->take_effects();
        for (const auto& each : next.sends) send(who, each);
        released = std::move(next.answer);
    }
    settle(who);
    tell_if_drained();
    // Last, and taken out before: these may call the store again, about the same holder too.
    const auto acquirer = acquired ? std::exchange(who->acquired, nullptr) : nullptr;
    const auto releaser = released ? std::exchange(who->released, nullptr) : nullptr;
    if (acquirer) acquirer(std::move(*acquired));
    if (releaser) releaser(std::move(*released));
    if (notice && listener_ != nullptr) listener_->granted(*notice);
}

// Forgets a holder of which nothing is left. The others are looked at again when a machine has work.
void quorum_store::settle(const holder_ptr& who)
{
    if (who->returning && who->returning->is_over(platform_->now())) who->returning.reset();
    const bool over = !who->claim && !who->returning;
    // A late answer must not end another claim with the same id.
    if (over && find(who->id) == who) holders_.erase(who->id);
    const auto when = over ? boot_time::max() : who->wake();
    if (who->timer && who->timer->first == when) return;
    if (who->timer) loop_->cancel(*std::exchange(who->timer, std::nullopt));
    if (when != boot_time::max()) who->timer = loop_->call_at(when, [this, who] { on_time(who); });
}

void quorum_store::on_time(const holder_ptr& who)
{
    who->timer.reset();
    const auto now = platform_->now();
    if (who->claim) who->claim->on_time(now);
    if (who->claim && who->claim->held() && now >= who->forgotten_at()) {
        give_back(who, nullptr, now);
    }
    if (who->returning) who->returning->on_time(now);
    proceed(who);
}

// A release is answered when a majority has answered. Its requests to the other nodes may still be under way, and would
// be lost with the connections: the votes would stay there until their leases end. A node that has failed once is not
// waited for.
void quorum_store::drain(boot_time until)
{
    const auto begin = [this](const std::function<void(bool)>& done) {
        drained_ = [done] { done(true); };
        tell_if_drained();
    };
    try {
        static_cast<void>(blocking_call<bool>::run(*platform_, *loop_, begin, until, nullptr));
    } catch (const std::system_error&) {
        // No descriptors are left, so it cannot wait.
    }
}

void quorum_store::tell_if_drained()
{
    if (!drained_) return;
    const auto is_open = [](const auto& each) {
        return each.second->returning && each.second->returning->is_under_way();
    };
    if (std::ranges::none_of(holders_, is_open)) std::exchange(drained_, nullptr)();
}

void quorum_store::send(const holder_ptr& who, const core::quorum::outgoing& what)
{
    // A vote request must not be sent again behind the return of its claim.
    const bool votes = std::holds_alternative<core::vote_request>(what.what);
    send(
        what,
        [this, who, what](const core::reply& got, boot_time now) { on_reply(who, what, got, now); },
        [who, votes] { return !votes || who->claim.has_value(); });
}

void quorum_store::on_reply(const holder_ptr& who, const core::quorum::outgoing& asked,
                            const core::reply& got, boot_time now)
{
    const auto from = asked.node;
    if (const auto* const vote = std::get_if<core::vote_request>(&asked.what)) {
        const auto& reply = std::get<core::vote_reply>(got);
        if (who->claim) who->claim->on_vote(from, *vote, reply, now);
        const bool answered = !std::holds_alternative<core::failure>(reply);
        if (!who->claim && who->returning && answered) who->returning->on_vote(from, vote->sent);
    } else if (const auto* const raise = std::get_if<core::raise_request>(&asked.what)) {
        if (who->claim) {
            who->claim->on_raise(from, *raise, std::get<core::raise_reply>(got), now);
        }
    } else if (const auto* const back = std::get_if<core::hand_back_request>(&asked.what)) {
        if (who->claim) {
            who->claim->on_hand_back(from, *back, std::get<core::hand_back_reply>(got), now);
        }
    } else if (const auto* const given = std::get_if<core::return_request>(&asked.what)) {
        if (who->returning) {
            who->returning->on_return(from, *given, std::get<core::hold_reply>(got), now);
        }
    }
    proceed(who);
}

void quorum_store::tell_warnings()
{
    for (auto& each : nodes_.take_warnings()) {
        if (how_.log) how_.log(record_of(std::move(each)));
    }
}

// A caller without a limit hears of it only here.
void quorum_store::warn_of_shortage(const std::string& what, boot_time now)
{
    constexpr std::chrono::seconds often{30};
    if (!how_.log || (warned_at_ && now < *warned_at_ + often)) return;
    warned_at_ = now;
    how_.log(shortage(what, how_.shown));
}

// ── Messages ────────────────────────────────────────────────────────────────────────────────────

void quorum_store::listen(std::string_view client, notice_listener& who)
{
    listener_ = &who;
    for (const auto& each : servers_) each->server().listen(client, *each);
}

void quorum_store::granted(unsigned index, const core::grant_notice& what)
{
    const auto who = find(what.holder);
    if (!who || !who->claim) return;
    who->claim->on_notice({index, what.fence, what.at}, platform_->now());
    proceed(who);
}

void quorum_store::listening(unsigned index, bool now)
{
    const auto before = listening_;
    listening_ += now ? 1U : -1U;
    const auto majority = nodes_.majority();
    if ((before >= majority) != (listening_ >= majority)) {
        listener_->listening(listening_ >= majority);
    }
    if (!now) return;
    // Copied, because proceed() may change the map.
    std::vector<holder_ptr> all;
    all.reserve(holders_.size());
    for (const auto& [id, each] : holders_) all.push_back(each);
    for (const auto& each : all) {
        if (!each->claim) continue;
        each->claim->on_listening(index, platform_->now());
        proceed(each);
    }
}

void quorum_store::connect()
{
    for (const auto& each : servers_) each->server().connect();
}

void quorum_store::doubt()
{
    for (const auto& each : servers_) each->server().doubt();
}

}  // namespace pawl::store
