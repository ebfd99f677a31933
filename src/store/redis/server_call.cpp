#include "store/redis/server_call.h"

#include "base/mutant.h"
#include "store/redis/acquire_verb.h"
#include "store/redis/condition_verbs.h"
#include "store/redis/gate_verb.h"
#include "store/redis/hold_verbs.h"
#include "store/redis/leader_verbs.h"
#include "store/redis/once_verb.h"
#include "store/redis/reading.h"
#include "store/redis/storage.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

namespace pawl::store {
namespace {

script_form first_form()
{
    return base::is(base::mutant::d34_script_in_full) ? script_form::in_full : script_form::by_sha;
}

bool is_to_be_sent_in_full(script_form form, const redis::reply_view& reply)
{
    return form == script_form::by_sha && is_unknown_script(reply) &&
           !base::is(base::mutant::d34_no_script);
}

std::span<const core::extend_request> only(const core::extend_request& one)
{
    return {&one, 1};
}

}  // namespace

// ── Acquire ─────────────────────────────────────────────────────────────────────────────────────

acquire_call::acquire_call(const core::acquire_request& what, server_memory& memory)
    : what_{what}, memory_{&memory}, form_{first_form()}, mend_{what.repeated && what.hint}
{
}

unsigned acquire_call::write(const redis::server_facts& server, std::string& out)
{
    trusted_ =
        memory_->bare_refused ? std::nullopt : first_trusted_fence(what_, server, memory_->clock);
    if (trusted_) {
        append_bare(out, what_);
        taken_.reset();
        return 2;
    }
    // A place says until when it is kept, by the server's clock. A client that does not know that clock
    // yet learns it from the reply, and joins the queue with its next request.
    if (!memory_->clock.at(what_.sent)) what_.wait.reset();
    append(out, what_, {form_, server}, {memory_->clock, mend_});
    return 1;
}

server_call::next acquire_call::on_reply(const redis::reply_view& reply)
{
    if (trusted_) return on_bare_reply(reply);
    if (is_to_be_sent_in_full(form_, reply)) {
        form_ = script_form::in_full;
        return next::send;
    }
    form_ = first_form();  // the server knows the script now
    const auto time = read_time(reply);
    if (time) memory_->clock.heard(time->now, what_.sent);
    got_ = read(what_, reply);
    note_taken(got_);
    const bool again = time && time->too_late && !std::exchange(corrected_, true);
    return again ? next::send : next::finish;
}

// The first reply is to SET, the second one to INCR.
server_call::next acquire_call::on_bare_reply(const redis::reply_view& reply)
{
    if (reply.is_error() && reply.text().starts_with("NOPERM")) memory_->bare_refused = true;
    if (!taken_) {
        taken_ = reply.type() == redis::resp_type::simple;
        return next::read;
    }
    const auto number = fence_in(reply.integer()).value_or(0);
    const bool good = number >= *trusted_ && !base::is(base::mutant::bare_not_repeated);
    if (*taken_ && good) {
        got_ = core::granted{.fence = number, .hint = hint_of(what_, number)};
        return next::finish;
    }
    // In all other cases the script follows. It tells the holder that the lock is wanted, reports the
    // error, and corrects the fence.
    what_.hint = {};
    what_.repeated |= *taken_ && !base::is(base::mutant::bare_not_repeated);
    mend_ |= !good;
    return next::send;
}

core::reply acquire_call::on_problem(const redis::failure& why) const
{
    auto problem = failure_of(why);
    problem.maybe_late = why.sent && trusted_;
    core::acquire_reply got{std::move(problem)};
    note_taken(got);
    return got;
}

// If the bare acquire took the lock, a later failure does not change that.
void acquire_call::note_taken(core::acquire_reply& got) const
{
    auto* const problem = std::get_if<core::failure>(&got);
    if (problem != nullptr) problem->maybe_executed |= taken_.value_or(false);
}

// ── Requests with one call of a script ──────────────────────────────────────────────────────────

exchange_call::exchange_call(core::exchange_request what, const base::platform& platform)
    : what_{std::move(what)}, platform_{&platform}, form_{first_form()}
{
}

unsigned exchange_call::write(const redis::server_facts& server, std::string& out)
{
    const script_style how{form_, server};
    std::visit(
        [&](const auto& each) {
            if constexpr (std::is_same_v<std::decay_t<decltype(each)>, core::extend_request>) {
                append(out, only(each), how);
            } else if constexpr (
                requires { each.announce; } || requires { each.release.announce; }) {
                append(out, each, how, platform_->wall_time());
            } else {
                append(out, each, how);
            }
        },
        what_);
    return 1;
}

server_call::next exchange_call::on_reply(const redis::reply_view& reply)
{
    if (is_to_be_sent_in_full(form_, reply)) {
        form_ = script_form::in_full;
        return next::send;
    }
    got_ = std::visit(
        [&](const auto& each) -> core::reply {
            if constexpr (std::is_same_v<std::decay_t<decltype(each)>, core::extend_request>) {
                return read(only(each), reply).front();
            } else {
                return read(each, reply);
            }
        },
        what_);
    return next::finish;
}

core::reply exchange_call::on_problem(const redis::failure& why) const
{
    return core::failed(what_, failure_of(why));
}

// ── Many renewals ───────────────────────────────────────────────────────────────────────────────

renew_call::renew_call(const core::renew_request& what) : got_(what.all.size())
{
    leases_.reserve(what.all.size());
    places_.reserve(what.all.size());
    for (const auto wanted : {storage::plain, storage::hash, storage::members, storage::term,
                              storage::once, storage::set_of_plain, storage::set_of_hash}) {
        const auto begin = leases_.size();
        for (std::size_t i = 0; i < what.all.size(); ++i) {
            if (storage_of(*what.all[i].mine.what) != wanted) continue;
            leases_.push_back(what.all[i]);
            places_.push_back(i);
        }
        const auto size = leases_.size() - begin;
        if (size > 0) parts_.push_back({begin, size, first_form()});
    }
}

core::renew_request::reply renew_call::in_order(const core::renew_request::reply& got) const
{
    core::renew_request::reply ordered(got.size());
    for (std::size_t i = 0; i < got.size(); ++i) ordered[places_[i]] = got[i];
    return ordered;
}

std::span<const core::extend_request> renew_call::leases_of(const part& which) const
{
    return std::span{leases_}.subspan(which.begin, which.size);
}

unsigned renew_call::write(const redis::server_facts& server, std::string& out)
{
    for (const auto& each : parts_) append(out, leases_of(each), {each.form, server});
    return static_cast<unsigned>(parts_.size());
}

server_call::next renew_call::on_reply(const redis::reply_view& reply)
{
    on_part(parts_[answered_++], reply);
    if (answered_ < parts_.size()) return next::read;
    if (again_.empty()) return next::finish;
    parts_ = std::exchange(again_, {});
    answered_ = 0;
    return next::send;
}

void renew_call::on_part(const part& which, const redis::reply_view& reply)
{
    if (is_to_be_sent_in_full(which.form, reply)) {
        again_.push_back({which.begin, which.size, script_form::in_full});
    } else if (which.size > 1 && is_refusal(reply)) {
        // One refused key must not prevent the renewal of the others.
        for (std::size_t i = 0; i < which.size; ++i) {
            again_.push_back({which.begin + i, 1, first_form()});
        }
    } else {
        std::ranges::move(read(leases_of(which), reply),
                          got_.begin() + static_cast<std::ptrdiff_t>(which.begin));
    }
}

core::reply renew_call::on_problem(const redis::failure& why) const
{
    // Leases that have a reply already keep it.
    auto got = got_;
    const auto fail = [&](const part& which) {
        std::fill_n(got.begin() + static_cast<std::ptrdiff_t>(which.begin), which.size,
                    core::hold_reply{failure_of(why)});
    };
    std::for_each(parts_.begin() + static_cast<std::ptrdiff_t>(answered_), parts_.end(), fail);
    std::ranges::for_each(again_, fail);
    return in_order(got);
}

// ────────────────────────────────────────────────────────────────────────────────────────────────

any_call make_call(core::request what, server_memory& memory, const base::platform& platform)
{
    return std::visit(
        [&](auto& each) -> any_call {
            using asked = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<asked, core::acquire_request>) {
                return acquire_call{each, memory};
            } else if constexpr (std::is_same_v<asked, core::renew_request>) {
                return renew_call{each};
            } else {
                return exchange_call{std::move(each), platform};
            }
        },
        what);
}

server_call& call_in(any_call& any)
{
    return std::visit([](auto& each) -> server_call& { return each; }, any);
}

}  // namespace pawl::store
