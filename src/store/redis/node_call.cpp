// The calls to a node of a quorum: store/redis/server_call.h.
#include "store/redis/reading.h"
#include "store/redis/server_call.h"
#include "store/redis/vote_verbs.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace pawl::store {
namespace {

void note_time(server_memory& memory, core::node_time now, base::boot_time asked,
               base::boot_time answered)
{
    memory.clock.heard(std::chrono::floor<std::chrono::milliseconds>(now), asked, answered);
}

}  // namespace

// ── One vote ────────────────────────────────────────────────────────────────────────────────────

vote_call::vote_call(request what, server_memory& memory, const base::platform& platform)
    : what_{what}, memory_{&memory}, platform_{&platform}, form_{first_form()}
{
}

unsigned vote_call::write(const redis::server_facts& server, std::string& out)
{
    const node_context context{memory_->clock, memory_->settings.quarantine};
    const bool returns = std::holds_alternative<core::return_request>(what_);
    if (returns && memory_->run_with_return_script != server.run_id) {
        form_ = script_form::in_full;
        new_run_ = server.run_id;
    }
    std::visit([&](const auto& each) { append(out, each, {form_, server}, context); }, what_);
    return 1;
}

server_call::next vote_call::on_reply(const redis::reply_view& reply)
{
    if (must_be_sent_in_full(form_, reply)) {
        form_ = script_form::in_full;
        return next::send;
    }
    form_ = first_form();  // the server knows the script now
    if (!new_run_.empty() && !reply.is_error()) {
        memory_->run_with_return_script = std::move(new_run_);
    }
    const auto sent = std::visit([](const auto& each) { return each.sent; }, what_);
    const auto answer = read_node_answer(reply);
    if (answer) note_time(*memory_, answer->now, sent, platform_->now());
    got_ = std::visit([&](const auto& each) -> core::reply { return read(each, reply, answer); },
                      what_);
    const auto* const vote = std::get_if<core::vote_request>(&what_);
    // If the node's clock was stepped, it took the request for a late one. If the request was late, nobody waits for the
    // vote any more: another one of this holder, or its return, may have been executed meanwhile.
    const bool again = vote != nullptr && answer && answer->is_too_late() &&
                       platform_->now() < vote->until && !std::exchange(corrected_, true);
    return again ? next::send : next::finish;
}

core::reply vote_call::on_problem(const redis::failure& why) const
{
    return std::visit(
        [&](const auto& each) -> core::reply {
            return typename std::decay_t<decltype(each)>::reply{failure_of(why)};
        },
        what_);
}

// ── Many votes ──────────────────────────────────────────────────────────────────────────────────

restore_call::restore_call(core::restore_request what, server_memory& memory,
                           const base::platform& platform)
    : what_{std::move(what)}, memory_{&memory}, platform_{&platform}
{
    got_.all.resize(what_.all.size());
    if (!what_.all.empty()) parts_.push_back({0, what_.all.size(), first_form()});
}

std::span<const core::restore_part> restore_call::votes_of(const part& which) const
{
    return std::span{what_.all}.subspan(which.begin, which.size);
}

unsigned restore_call::write(const redis::server_facts& server, std::string& out)
{
    const node_context context{memory_->clock, memory_->settings.quarantine};
    for (const auto& each : parts_) append(out, votes_of(each), {each.form, server}, context);
    return static_cast<unsigned>(parts_.size());
}

server_call::next restore_call::on_reply(const redis::reply_view& reply)
{
    on_part(parts_[answered_++], reply);
    if (answered_ < parts_.size()) return next::read;
    if (again_.empty()) return next::finish;
    parts_ = std::exchange(again_, {});
    answered_ = 0;
    return next::send;
}

void restore_call::on_part(const part& which, const redis::reply_view& reply)
{
    if (must_be_sent_in_full(which.form, reply)) {
        again_.push_back({which.begin, which.size, script_form::in_full});
        return;
    }
    if (which.size > 1 && is_refusal(reply)) {
        // One refused key must not prevent the renewal of the others.
        for (std::size_t i = 0; i < which.size; ++i) {
            again_.push_back({which.begin + i, 1, first_form()});
        }
        return;
    }
    auto got = read(votes_of(which), reply);
    std::ranges::move(got.all, got_.all.begin() + static_cast<std::ptrdiff_t>(which.begin));
    if (!got.now) return;
    got_.now = got.now;
    note_time(*memory_, *got.now, what_.sent, platform_->now());
}

core::reply restore_call::on_problem(const redis::failure& why) const
{
    // Votes that have a reply already keep it.
    auto got = got_;
    const auto fail = [&](const part& which) {
        std::fill_n(got.all.begin() + static_cast<std::ptrdiff_t>(which.begin), which.size,
                    failure_of(why));
    };
    std::for_each(parts_.begin() + static_cast<std::ptrdiff_t>(answered_), parts_.end(), fail);
    std::ranges::for_each(again_, fail);
    return got;
}

}  // namespace pawl::store
