#include "store/redis/server_call.h"

#include "base/mutant.h"
#include "store/redis/condition_verbs.h"
#include "store/redis/gate_verb.h"
#include "store/redis/hold_verbs.h"
#include "store/redis/keys.h"
#include "store/redis/leader_verbs.h"
#include "store/redis/once_verb.h"
#include "store/redis/reading.h"
#include "store/redis/storage.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pawl::store {
namespace {

std::span<const core::extend_request> only(const core::extend_request& one)
{
    return {&one, 1};
}

bool is_done(const core::hold_reply& got)
{
    return got == core::hold_reply{core::hold_status::done};
}

}  // namespace

// ── Requests with one call of a script ──────────────────────────────────────────────────────────

exchange_call::exchange_call(core::exchange_request what, server_memory& memory,
                             const base::platform& platform)
    : what_{std::move(what)}, memory_{&memory}, platform_{&platform}, form_{first_form()}
{
}

std::optional<std::chrono::milliseconds> exchange_call::lease() const noexcept
{
    if (!memory_->settings.acks.is_on()) return std::nullopt;
    if (const auto* const extend = std::get_if<core::extend_request>(&what_)) return extend->lease;
    if (const auto* const count = std::get_if<core::count_request>(&what_)) return count->lease;
    return std::nullopt;
}

unsigned exchange_call::write(const redis::server_facts& server, std::string& out)
{
    const script_style how{form_, server};
    script_answered_ = false;
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
    const auto restarts = lease();
    if (!restarts) return 1;
    memory_->settings.acks.append(out, memory_->history, share_of(*restarts));
    return 2;
}

server_call::next exchange_call::on_reply(const redis::reply_view& reply)
{
    if (!std::exchange(script_answered_, true)) {
        unknown_script_ = must_be_sent_in_full(form_, reply);
        if (!unknown_script_) got_ = read_script(reply);
        if (waits_for_replicas()) return next::read;
    } else if (!unknown_script_ && is_done(std::get<core::hold_reply>(got_))) {
        const auto why = memory_->settings.acks.read(reply, memory_->history);
        if (why) got_ = core::hold_reply{*why};
    }
    if (!unknown_script_) return next::finish;
    form_ = script_form::in_full;
    return next::send;
}

core::reply exchange_call::read_script(const redis::reply_view& reply) const
{
    auto got = std::visit(
        [&](const auto& each) -> core::reply {
            if constexpr (std::is_same_v<std::decay_t<decltype(each)>, core::extend_request>) {
                return read(only(each), reply).front();
            } else {
                return read(each, reply);
            }
        },
        what_);
    // A keep is executed only once, so nothing can be asked again. The renewals go on as before.
    if (auto* const keep = std::get_if<core::keep_reply>(&got);
        keep && memory_->settings.acks.is_on()) {
        if (auto* const stays = std::get_if<core::kept>(keep)) stays->lease_restarts = false;
    }
    return got;
}

core::reply exchange_call::on_problem(const redis::failure& why) const
{
    return core::failed(what_, failure_of(why));
}

// ── Many renewals ───────────────────────────────────────────────────────────────────────────────

renew_call::renew_call(const core::renew_request& what, const server_memory& memory)
    : memory_{&memory}, got_(what.all.size())
{
    leases_.reserve(what.all.size());
    places_.resize(what.all.size());
    std::iota(places_.begin(), places_.end(), std::size_t{0});
    // The leases with the same key go into one call.
    std::vector<std::pair<storage, std::uint16_t>> keys;
    keys.reserve(what.all.size());
    for (const auto& each : what.all) {
        const auto& object = *each.mine.what;
        const bool by_slot =
            memory.settings.cluster && !base::is(base::mutant::d35_slots_in_one_call);
        const auto slot = by_slot ? hash_slot(core::names_of(object).front()) : std::uint16_t{0};
        keys.emplace_back(storage_of(object), slot);
    }
    std::ranges::sort(places_, {}, [&](auto place) { return std::pair{keys[place], place}; });
    for (const auto place : places_) {
        const bool same = !leases_.empty() && keys[places_[leases_.size() - 1]] == keys[place];
        if (!same) parts_.push_back({leases_.size(), 0, first_form()});
        ++parts_.back().size;
        leases_.push_back(what.all[place]);
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
    const auto calls = static_cast<unsigned>(parts_.size());
    if (!waits_for_replicas()) return calls;
    memory_->settings.acks.append(out, memory_->history, share_of(shortest_lease()));
    return calls + 1;
}

server_call::next renew_call::on_reply(const redis::reply_view& reply)
{
    if (answered_ < parts_.size()) {
        on_part(parts_[answered_++], reply);
        if (answered_ < parts_.size() || waits_for_replicas()) return next::read;
    } else if (const auto why = memory_->settings.acks.read(reply, memory_->history)) {
        take_back(got_, *why);
    }
    if (again_.empty()) return next::finish;
    parts_ = std::exchange(again_, {});
    answered_ = 0;
    return next::send;
}

void renew_call::on_part(const part& which, const redis::reply_view& reply)
{
    if (must_be_sent_in_full(which.form, reply)) {
        again_.push_back({which.begin, which.size, script_form::in_full});
    } else if (which.size > 1 && is_refusal(reply) &&
               !base::is(base::mutant::d35_slots_in_one_call)) {
        // One refused key must not prevent the renewal of the others.
        for (std::size_t i = 0; i < which.size; ++i) {
            again_.push_back({which.begin + i, 1, first_form()});
        }
    } else {
        std::ranges::move(read(leases_of(which), reply),
                          got_.begin() + static_cast<std::ptrdiff_t>(which.begin));
    }
}

std::chrono::milliseconds renew_call::shortest_lease() const
{
    return std::ranges::min(leases_, {}, &core::extend_request::lease).lease;
}

void renew_call::take_back(core::renew_request::reply& got, const core::failure& why) const
{
    for (std::size_t i = 0; i < answered_; ++i) {
        const auto begin = got.begin() + static_cast<std::ptrdiff_t>(parts_[i].begin);
        std::replace(begin, begin + static_cast<std::ptrdiff_t>(parts_[i].size),
                     core::hold_reply{core::hold_status::done}, core::hold_reply{why});
    }
}

core::reply renew_call::on_problem(const redis::failure& why) const
{
    // Leases that have a reply already keep it, unless the replicas should have acknowledged it.
    auto got = got_;
    if (waits_for_replicas()) take_back(got, failure_of(why));
    const auto fail = [&](const part& which) {
        std::fill_n(got.begin() + static_cast<std::ptrdiff_t>(which.begin), which.size,
                    core::hold_reply{failure_of(why)});
    };
    std::for_each(parts_.begin() + static_cast<std::ptrdiff_t>(answered_), parts_.end(), fail);
    std::ranges::for_each(again_, fail);
    return in_order(got);
}

// ── After ASK ───────────────────────────────────────────────────────────────────────────────────

unsigned asking_call::write(const redis::server_facts& server, std::string& out)
{
    allowed_ = false;
    redis::append_request(out, std::array<std::string_view, 1>{"ASKING"});
    return 1 + what_->write(server, out);
}

// If ASKING was refused, so is the command after it: its reply says why.
server_call::next asking_call::on_reply(const redis::reply_view& reply)
{
    if (!std::exchange(allowed_, true)) return next::read;
    return what_->on_reply(reply);
}

// ────────────────────────────────────────────────────────────────────────────────────────────────

namespace {

any_call make_node_call(core::node_request what, server_memory& memory,
                        const base::platform& platform)
{
    return std::visit(
        [&](auto& each) -> any_call {
            if constexpr (requires { each.all; }) {
                return restore_call{std::move(each), memory, platform};
            } else {
                return vote_call{each, memory, platform};
            }
        },
        what);
}

}  // namespace

any_call make_call(core::request what, server_memory& memory, const base::platform& platform)
{
    return std::visit(
        [&](auto& each) -> any_call {
            using asked = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<asked, core::acquire_request>) {
                return acquire_call{each, memory, platform};
            } else if constexpr (std::is_same_v<asked, core::renew_request>) {
                return renew_call{each, memory};
            } else if constexpr (std::is_same_v<asked, core::node_request>) {
                return make_node_call(std::move(each), memory, platform);
            } else {
                return exchange_call{std::move(each), memory, platform};
            }
        },
        what);
}

server_call& call_in(any_call& any)
{
    return std::visit([](auto& each) -> server_call& { return each; }, any);
}

}  // namespace pawl::store
