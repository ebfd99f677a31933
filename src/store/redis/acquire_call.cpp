// The acquire of store/redis/server_call.h.
#include "base/mutant.h"
#include "store/redis/acquire_verb.h"
#include "store/redis/reading.h"
#include "store/redis/server_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pawl::store {

acquire_call::acquire_call(const core::acquire_request& what, server_memory& memory,
                           const base::platform& platform)
    : what_{what},
      memory_{&memory},
      platform_{&platform},
      form_{first_form()},
      mend_{what.repeated && what.hint}
{
}

bool acquire_call::waits_for_replicas() const noexcept
{
    return memory_->settings.acks.is_on() && !core::is_gate(what_.mine.what->kind);
}

bool acquire_call::asks_about_replicas() const
{
    if (!memory_->history.is_due(what_.sent)) return false;
    if (memory_->settings.acks.is_on())
        return memory_->settings.acks.wanted.is_majority() && waits_for_replicas();
    // Where there are replicas, there are no bare acquires.
    return leads_to_bare(what_) && memory_->has_bare_acquires() &&
           memory_->history.most_replicas() == 0;
}

unsigned acquire_call::write(const redis::server_facts& server, std::string& out)
{
    expected_ = answered_ = 0;
    replication_.reset();
    replication_refused_.reset();
    unacknowledged_.reset();
    const bool asks = asks_about_replicas();
    trusted_.reset();
    if (memory_->has_bare_acquires()) {
        trusted_ = first_trusted_fence(what_, server, memory_->clock, memory_->history);
    }
    if (trusted_) {
        append_bare(out, what_);
        taken_.reset();
        expect(part::set);
        expect(part::incr);
        // After them: so it is about the time at which they were executed.
        if (asks) append_replication_question(out);
        if (asks) expect(part::replication);
        return static_cast<unsigned>(expected_);
    }
    // A place says until when it is kept, by the server's clock. A client that does not know that clock
    // yet learns it from the reply, and joins the queue with its next request.
    if (!memory_->clock.at(what_.sent)) what_.wait.reset();
    // Before the script, whose reply has a later time.
    if (asks) append_replication_question(out);
    if (asks) expect(part::replication);
    append(out, what_, {form_, server}, {memory_->clock, mend_});
    expect(part::script);
    if (waits_for_replicas()) {
        // The answer must be here in time, also if the server does not know the script.
        const auto third = (what_.until - what_.sent) / 3;
        memory_->settings.acks.append(
            out, memory_->history,
            std::min(share_of(what_.lease),
                     std::chrono::duration_cast<std::chrono::milliseconds>(third)));
        expect(part::wait);
    }
    return static_cast<unsigned>(expected_);
}

server_call::next acquire_call::on_reply(const redis::reply_view& reply)
{
    read_part(parts_[answered_++], reply);
    if (answered_ < expected_) return next::read;
    return trusted_ ? after_bare() : after_script();
}

void acquire_call::read_part(part which, const redis::reply_view& reply)
{
    const bool forbidden = reply.is_error() && reply.text().starts_with("NOPERM");
    switch (which) {
    case part::set:
        if (forbidden) memory_->bare_refused = true;
        taken_ = reply.type() == redis::resp_type::simple;
        break;
    case part::incr:
        if (forbidden) memory_->bare_refused = true;
        number_ = fence_in(reply.integer()).value_or(0);
        break;
    case part::script: read_script(reply); break;
    case part::replication: read_replication_part(reply); break;
    case part::wait: unacknowledged_ = memory_->settings.acks.read(reply, memory_->history); break;
    }
}

void acquire_call::read_script(const redis::reply_view& reply)
{
    unknown_script_ = must_be_sent_in_full(form_, reply);
    time_ = read_time(reply);
    if (time_) memory_->clock.heard(time_->now, what_.sent);
    if (time_ && replication_) memory_->history.heard(*replication_, time_->exact, what_.sent);
    if (!unknown_script_) got_ = read(what_, reply);
}

void acquire_call::read_replication_part(const redis::reply_view& reply)
{
    replication_ = reply.is_error() ? std::nullopt : read_replication(reply.text());
    if (replication_) return;
    replication_refused_ = reply.is_error() ? failure_of_error(reply.text()) : senseless(reply);
    if (replication_refused_->what == core::failure_kind::refused) memory_->bare_refused = true;
}

server_call::next acquire_call::after_script()
{
    if (unknown_script_) {
        form_ = script_form::in_full;
        return next::send;
    }
    form_ = first_form();  // the server knows the script now
    note_taken(got_);
    if (time_ && time_->too_late && !std::exchange(corrected_, true)) return next::send;
    if (!std::holds_alternative<core::granted>(got_) || !waits_for_replicas()) return next::finish;
    if (memory_->settings.acks.wanted.is_majority() && replication_refused_) {
        unacknowledged_ = replication_refused_;  // a majority of how many?
    }
    if (unacknowledged_) got_ = core::unacknowledged{*unacknowledged_};
    return next::finish;
}

// Whether the number cannot have been given out before.
bool acquire_call::is_proven() const
{
    if (base::is(base::mutant::bare_not_repeated) || number_ < *trusted_) return false;
    if (base::is(base::mutant::bare_fence_unchecked) ||
        base::is(base::mutant::bare_after_replica) ||
        base::is(base::mutant::bare_fence_from_old_data)) {
        return true;
    }
    auto& history = memory_->history;
    const bool asked = expected_ > 2;
    const bool unchanged =
        asked ? history.confirms(replication_, what_.sent) : !history.is_due(platform_->now());
    const auto own = history.own_since();
    return unchanged && own && number_ >= *own;
}

server_call::next acquire_call::after_bare()
{
    const bool good = is_proven();
    if (*taken_ && good) {
        got_ = core::granted{.fence = number_, .hint = hint_of(what_, number_)};
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

}  // namespace pawl::store
