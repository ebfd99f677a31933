#include "sync/lease_keeper.h"

#include "base/mutant.h"
#include "base/require.h"
#include "sync/log_records.h"
#include "sync/loop_driver.h"
#include "sync/measured.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <system_error>
#include <utility>
#include <variant>

namespace pawl::sync {

using base::boot_clock;
using base::boot_time;
using core::lease_ptr;

namespace {

// A renewal takes the server about a microsecond for each lease, and other requests wait meanwhile.
constexpr std::size_t most_in_one_renewal = 1'000;

bool always_wanted()
{
    return true;
}

event event_of(const core::transition& change, boot_time now)
{
    const auto& lease = *change.which;
    const auto left = lease.is_over() ? boot_clock::duration{0} : lease.valid_until() - now;
    return {.lock = lease.what->name,
            .holder = lease.holder,
            .fence = lease.fence,
            .from = change.from,
            .to = change.to,
            .why = change.why,
            .detail = change.detail,
            .valid_for = left};
}

}  // namespace

lease_keeper::lease_keeper(const client_options& options, const surroundings& around)
    : command_limit_{options.command_limit},
      drift_{options.clock_drift},
      on_event_{options.on_event ? std::make_shared<const event_handler>(options.on_event)
                                 : nullptr},
      platform_{*around.platform},
      loop_{*around.loop},
      store_{*around.store},
      stops_{*around.stops},
      handlers_{*around.handlers},
      log_{*around.log},
      counters_{*around.counters},
      server_{around.store->shown()},
      table_{options.clock_drift, options.command_limit,
             [&platform = *around.platform] { return platform.random_unit(); }},
      alarm_at_{boot_time::max()}
{
    loop_.on_alarm([this] { on_alarm(); });
    store_.on_moved([this] { renew_all(); });
}

void lease_keeper::add(const lease_ptr& lease, boot_time sent)
{
    const common::scoped_lock guard{mutex_};
    table_.add(lease, sent);
    if (closed_) {
        core::transitions changes;
        table_.close(changes);
        tell(changes);
        return;
    }
    set_alarm();
    // So that the first renewal need not wait for a connection.
    if (!std::exchange(connecting_, true)) loop_.post([this] { store_.connect(); });
}

bool lease_keeper::end(const lease_ptr& lease)
{
    const common::scoped_lock guard{mutex_};
    core::transitions changes;
    table_.expire(platform_.now(), changes);
    const bool was_held = table_.release(lease, changes);
    set_alarm();
    tell(changes);
    return was_held;
}

void lease_keeper::extended(const lease_ptr& lease, std::chrono::milliseconds length,
                            boot_time sent)
{
    const common::scoped_lock guard{mutex_};
    core::transitions changes;
    table_.expire(platform_.now(), changes);
    table_.extended(lease, length, sent, changes);
    set_alarm();
    tell(changes);
}

void lease_keeper::broken(std::string_view holder, std::string_view reason)
{
    const common::scoped_lock guard{mutex_};
    core::transitions changes;
    table_.expire(platform_.now(), changes);
    // It is rare, so there is no index.
    for (const auto& lease : table_.all()) {
        if (lease->holder != holder) continue;
        table_.lose(lease, cause::broken, changes, std::string{reason});
    }
    set_alarm();
    tell(changes);
}

void lease_keeper::lose(const lease_ptr& lease, cause why)
{
    const common::scoped_lock guard{mutex_};
    core::transitions changes;
    // If the deadline has passed, that is the cause, whatever the server says now.
    table_.expire(platform_.now(), changes);
    table_.lose(lease, why, changes);
    set_alarm();
    tell(changes);
}

void lease_keeper::rest(const lease_ptr& lease, std::chrono::nanoseconds held,
                        observe::lock_counters* measured)
{
    const common::scoped_lock guard{mutex_};
    counters_.each(measured, [&](auto& here) { here.inside.hold.add_alone(held); });
    if (lease->is_over()) return;
    table_.rest(lease);
    set_alarm();
    tell_handlers({lease, lease->state, hold_state::released, cause::none, {}});
}

void lease_keeper::pass_on(const lease_ptr& lease, const local_grant& next)
{
    const common::scoped_lock guard{mutex_};
    counters_.each(next.measured, [&](auto& here) {
        (next.lingered ? here.inside.lingered : here.inside.passed_on).add_alone();
        here.inside.wait.add_alone(next.waited);
        if (base::is(base::mutant::passed_on_twice) && !next.lingered) {
            here.inside.passed_on.add_alone();
        }
    });
    table_.pass_on(lease, next.fence, next.now);
    set_alarm();
    lease->lost = std::stop_source{std::nostopstate};
}

std::stop_source lease_keeper::loss_of(const lease_ptr& lease, std::uint64_t fence)
{
    const common::scoped_lock guard{mutex_};
    if (lease->fence != fence) return std::stop_source{std::nostopstate};
    if (!lease->lost.stop_possible()) lease->lost = std::stop_source{};
    return lease->lost;
}

std::stop_source lease_keeper::loss_of_reader(const lease_ptr& lease, reader_loss& mine)
{
    const common::scoped_lock guard{mutex_};
    if (!mine) {
        mine = std::make_shared<core::lease::reader_loss>();
        lease->lost_to_readers.push_front(mine);
    }
    return mine->source;
}

void lease_keeper::reader_left(const reader_loss& mine)
{
    const common::scoped_lock guard{mutex_};
    if (mine) mine->left = true;
}

void lease_keeper::notice_time(const lease_ptr& lease)
{
    if (lease->is_over() || platform_.now() < lease->valid_until()) return;
    const common::scoped_lock guard{mutex_};
    core::transitions changes;
    table_.expire(platform_.now(), changes);
    tell(changes);
}

void lease_keeper::set_alarm()
{
    // Only to an earlier time: an alarm that rings for nothing costs less than a change for every lock.
    const auto next = table_.next_wake();
    if (next >= alarm_at_) return;
    alarm_at_ = next;
    loop_.set_alarm(next);
}

void lease_keeper::on_alarm()
{
    {
        const common::scoped_lock guard{mutex_};
        core::transitions changes;
        table_.expire(platform_.now(), changes);
        alarm_at_ = boot_time::max();
        tell(changes);
    }
    renew_what_is_due();
}

void lease_keeper::renew_all()
{
    {
        const common::scoped_lock guard{mutex_};
        table_.renew_soon(platform_.now());
    }
    on_alarm();
}

void lease_keeper::renew_what_is_due()
{
    while (true) {
        std::vector<lease_ptr> due;
        const auto now = platform_.now();
        {
            const common::scoped_lock guard{mutex_};
            due = table_.take_due(now, most_in_one_renewal);
            set_alarm();
        }
        if (due.empty()) return;
        renew_by_part(due, now);
    }
}

// Most stores are one server, where all leases have the same part: then nothing is sorted.
void lease_keeper::renew_by_part(const std::vector<lease_ptr>& due, boot_time now)
{
    const auto part_of = [this](const lease_ptr& lease) { return store_.part_of(*lease->what); };
    const auto first = part_of(due.front());
    if (std::ranges::all_of(due, [&](const auto& each) { return part_of(each) == first; })) {
        renew(due, now);
        return;
    }
    std::map<std::size_t, std::vector<lease_ptr>> parts;
    for (const auto& lease : due) parts[part_of(lease)].push_back(lease);
    for (const auto& [number, part] : parts) renew(part, now);
}

void lease_keeper::renew(const std::vector<lease_ptr>& due, boot_time now)
{
    core::renew_request request;
    request.all.reserve(due.size());
    std::vector<renewal> sent;
    sent.reserve(due.size());
    auto patience = command_limit_;
    for (const auto& lease : due) {
        const auto length = lease->capped(lease->length, now, drift_);
        request.all.push_back(lease->extend(length));
        sent.push_back({lease, length});
        patience = std::min(patience, core::renewal_limit(lease->length, command_limit_));
    }
    for (const auto& each : sent) {
        counters_.each(measured(*each.lease), [](auto& here) { here.renewals_sent.add(); });
    }
    store_.submit(std::move(request), patience, always_wanted,
                  [this, sent = std::move(sent), now](const core::reply& got) {
                      on_renewed(sent, now, std::get<core::renew_request::reply>(got));
                  });
}

void lease_keeper::on_renewed(const std::vector<renewal>& sent, boot_time when,
                              const core::renew_request::reply& replies)
{
    {
        const common::scoped_lock guard{mutex_};
        const auto now = platform_.now();
        base::require(replies.size() == sent.size(), "a renewal has answers for other leases");
        core::transitions changes;
        table_.expire(now, changes);
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const auto& [lease, length] = sent[i];
            count(sent[i], replies[i], now);
            table_.on_renewal(lease, replies[i], length, when, now, changes);
        }
        tell(changes);
    }
    renew_what_is_due();
}

// A core::give_back_machine that tells the keeper when close() need not wait for it any more.
class lease_keeper::giving_back final : public core::machine {
public:
    giving_back(lease_keeper& keeper, core::give_back_machine what)
        : keeper_{keeper}, machine_{std::move(what)}
    {
    }

    core::step start(boot_time now) override { return noted(machine_.start(now)); }
    core::step on_reply(const core::reply& got, boot_time now) override
    {
        return noted(machine_.on_reply(got, now));
    }
    core::step on_time(boot_time now) override { return noted(machine_.on_time(now)); }
    core::step on_cancel(boot_time now, std::string_view why) override
    {
        return noted(machine_.on_cancel(now, why));
    }

private:
    core::step noted(core::step step)
    {
        if (!machine_.is_awaited() && std::exchange(awaited_, false)) keeper_.one_given_back();
        return step;
    }

    lease_keeper& keeper_;
    core::give_back_machine machine_;
    bool awaited_ = true;
};

void lease_keeper::give_back(const lease_ptr& lease, boot_time wanted_until, core::giving how)
{
    {
        const common::scoped_lock guard{mutex_};
        base::require(lease->number == 0 || lease->is_over(),
                      "a lock is given back while someone holds it");
        ++being_given_back_;
    }
    core::give_back_machine machine{lease, wanted_until, how, command_limit_};
    const auto driver = loop_driver::make({platform_, loop_, &store_},
                                          std::make_unique<giving_back>(*this, std::move(machine)),
                                          [](loop_driver& /*over*/) {});
    loop_.post([driver] { driver->start(); });
}

void lease_keeper::one_given_back()
{
    const common::scoped_lock guard{mutex_};
    if (--being_given_back_ == 0) all_given_back_.request_stop();
}

void lease_keeper::close(boot_time until)
{
    wait_for_given_back(until);
    const common::scoped_lock guard{mutex_};
    closed_ = true;
    core::transitions changes;
    table_.close(changes);
    tell(changes);
}

void lease_keeper::wait_for_given_back(boot_time until)
{
    try {
        while (platform_.now() < until) {
            std::stop_token all_given_back;
            {
                const common::scoped_lock guard{mutex_};
                if (being_given_back_ == 0) return;
                all_given_back_ = std::stop_source{};
                all_given_back = all_given_back_.get_token();
            }
            const base::interrupt woken{all_given_back};
            static_cast<void>(platform_.pause(until, &woken));
        }
    } catch (const std::system_error&) {
        // No descriptors are left: then close() does not wait, and the leases end on the server.
    }
}

void lease_keeper::tell(const core::transitions& changes)
{
    for (const auto& change : changes) {
        const auto& lease = *change.which;
        if (change.to == hold_state::lost && !lease.watcher.expired()) {
            loop_.post([watcher = lease.watcher] {
                if (const auto here = watcher.lock()) here->on_lost();
            });
        }
        if (lease.idle) continue;
        count(change);
        if (change.to == hold_state::lost && lease.lost.stop_possible()) {
            stops_.post([lost = lease.lost]() mutable { lost.request_stop(); });
        }
        if (change.to == hold_state::lost) {
            for (const auto& each : lease.lost_to_readers) {
                stops_.post([each] {
                    if (!each->left) each->source.request_stop();
                });
            }
        }
        tell_handlers(change);
    }
}

void lease_keeper::count(const core::transition& change)
{
    const bool was_in_jeopardy = change.from == hold_state::jeopardy;
    counters_.each(measured(*change.which), [&](auto& here) {
        if (change.to == hold_state::jeopardy) here.jeopardies.add_alone();
        if (change.to == hold_state::held && was_in_jeopardy) here.recoveries.add_alone();
        if (change.to != hold_state::lost) return;
        here.losses[change.why].add_alone();
        if (was_in_jeopardy) here.lost_in_jeopardy.add_alone();
    });
}

// Before the lease_table hears of it: then the old deadline is still known.
void lease_keeper::count(const renewal& sent, const core::hold_reply& got, boot_time now)
{
    const auto* const status = std::get_if<core::hold_status>(&got);
    const bool failed = std::holds_alternative<core::failure>(got);
    const bool not_ours = status != nullptr && *status != core::hold_status::done;
    // A release on another connection may overtake a renewal. Then the server has the lock no more, and nothing is
    // wrong. While a lease is being changed, the answer decides nothing either.
    const bool expected = sent.lease->is_over() || sent.lease->changing;
    counters_.each(measured(*sent.lease), [&](auto& here) {
        if (failed) {
            here.renewals_failed.add_alone();
        } else if (not_ours) {
            if (!expected) here.renewals_denied.add_alone();
        } else {
            here.renewals_done.add_alone();
            here.margin.add_alone(sent.lease->deadline.load() - now);
        }
    });
}

observe::lock_counters* lease_keeper::measured(const core::lease& lease) const
{
    return sync::measured(counters_, *lease.what);
}

void lease_keeper::tell_handlers(const core::transition& change)
{
    const bool is_logged = log_.is_on() && change.to != hold_state::released;
    if (!is_logged && !on_event_) return;
    auto what = event_of(change, platform_.now());
    if (is_logged) log_.write(record_of(what, server_));
    if (!on_event_) return;
    handlers_.post([handler = on_event_, what = std::move(what)] { (*handler)(what); });
}

std::vector<lease_ptr> lease_keeper::all()
{
    const common::scoped_lock guard{mutex_};
    core::transitions changes;
    table_.expire(platform_.now(), changes);
    tell(changes);
    auto found = table_.all();
    std::erase_if(found, [](const auto& lease) { return lease->idle.load(); });
    return found;
}

std::size_t lease_keeper::count()
{
    const common::scoped_lock guard{mutex_};
    core::transitions changes;
    table_.expire(platform_.now(), changes);
    tell(changes);
    return table_.size();
}

}  // namespace pawl::sync
