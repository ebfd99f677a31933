#include "store/redis/single_server.h"

#include "base/mutant.h"
#include "store/redis/wire.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace pawl::store {

using core::operation;
using core::outcome;

namespace {

script_form first_form()
{
    return base::is(base::mutant::d34_script_in_full) ? script_form::in_full : script_form::by_sha;
}

bool is_to_be_sent_in_full(const redis::reply_view& reply)
{
    return is_unknown_script(reply) && !base::is(base::mutant::d34_no_script);
}

}  // namespace

// One operation under way: how it is written, and what the replies mean. That may be that it has to be
// sent once more: by the script, in full, with the right time.
class single_server::request {
public:
    request(const operation& what, server_clock& clock, std::atomic<bool>& bare_refused)
        : what_{what}, clock_{&clock}, bare_refused_{&bare_refused}
    {
    }

    // How many replies there will be.
    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out)
    {
        trusted_ = *bare_refused_ ? std::nullopt : first_trusted_fence(what_, server, *clock_);
        if (trusted_) {
            append_bare_acquire(out, what_);
            taken_.reset();
            return 2;
        }
        append_operations(out, all(), form_, server, *clock_);
        return 1;
    }

    enum class next {
        read,    // there is another reply
        send,    // it is to be sent once more
        finish,  // the outcome is known
    };
    [[nodiscard]] next on_reply(const redis::reply_view& reply)
    {
        if (trusted_) return on_bare_reply(reply);
        if (form_ == script_form::by_sha && is_to_be_sent_in_full(reply)) {
            form_ = script_form::in_full;
            return next::send;
        }
        const auto time = acquires() ? read_time(reply) : std::nullopt;
        if (time) clock_->heard(time->now, what_.sent);
        form_ = first_form();  // by now the server knows it
        got_ = read_outcomes(all(), reply).front();
        const bool settled = got_.what == core::verdict::done || got_.what == core::verdict::busy;
        if (!settled) got_.maybe_executed |= taken_.value_or(false);
        const bool again = time && time->too_late && !std::exchange(corrected_, true);
        return again ? next::send : next::finish;
    }

    [[nodiscard]] outcome on_problem(const redis::failure& why) const
    {
        auto got = outcome_of(why);
        got.bare = why.sent && trusted_;
        got.maybe_executed |= taken_.value_or(false);
        return got;
    }

    [[nodiscard]] const outcome& got() const noexcept { return got_; }
    [[nodiscard]] bool acquires() const noexcept { return what_.what == core::verb::acquire; }

private:
    // The first is that of SET, the second that of INCR.
    [[nodiscard]] next on_bare_reply(const redis::reply_view& reply)
    {
        if (reply.is_error() && reply.text().starts_with("NOPERM")) *bare_refused_ = true;
        if (!taken_) {
            taken_ = reply.type() == redis::resp_type::simple;
            return next::read;
        }
        const auto number = read_fence(reply).value_or(0);
        const bool good = number >= *trusted_ && !base::is(base::mutant::bare_not_repeated);
        if (*taken_ && good) {
            got_ = {.what = core::verdict::done, .fence = number};
            return next::finish;
        }
        // Whatever it is, the script says it better: who has the lock that it is wanted, what error
        // there is, and what the number should be.
        what_.known = 0;
        what_.repeated |= *taken_ && !base::is(base::mutant::bare_not_repeated);
        what_.mend |= !good;
        return next::send;
    }

    [[nodiscard]] std::span<const operation> all() const noexcept { return {&what_, 1}; }

    operation what_;
    server_clock* clock_;
    std::atomic<bool>* bare_refused_;
    script_form form_ = first_form();
    bool corrected_ = false;
    std::optional<std::uint64_t> trusted_;  // the smallest number that is, while it is a bare one
    std::optional<bool> taken_;             // by that
    outcome got_{.what = core::verdict::unavailable};
};

outcome single_server::execute(const operation& what, base::boot_time until,
                               const base::interrupt* stop)
{
    request one{what, clock_, bare_refused_};
    auto next = request::next::send;
    while (next != request::next::finish) {
        // Only who wants a lock starts the local: server: on one that was stopped nothing is held.
        const auto problem = way_->call(
            [&](const auto& server, auto& out) { return one.write(server, out); },
            {until, stop, one.acquires()}, [&](const auto& reply) { next = one.on_reply(reply); });
        if (problem) return one.on_problem(*problem);
    }
    return one.got();
}

std::optional<outcome> single_server::prepare()
{
    auto problem = way_->prepare();
    if (!problem) return std::nullopt;
    problem->sent = false;
    return outcome_of(*problem);
}

struct single_server::submitted {
    request what;
    std::chrono::milliseconds patience;
    still_wanted wanted;
    one_done done;
};

void single_server::submit_one(const operation& what, std::chrono::milliseconds patience,
                               still_wanted wanted, one_done done)
{
    send_one(std::make_shared<submitted>(submitted{request{what, clock_, bare_refused_}, patience,
                                                   std::move(wanted), std::move(done)}));
}

void single_server::send_one(const std::shared_ptr<submitted>& one)
{
    way_->submit([one](const auto& server, auto& out) { return one->what.write(server, out); },
                 one->patience,
                 [this, one](const auto* reply, const auto* problem) {
                     if (problem != nullptr) {
                         give_up_or_start(one, *problem);
                         return;
                     }
                     const auto next = one->what.on_reply(*reply);
                     if (next == request::next::finish) one->done(one->what.got());
                     if (next == request::next::send && one->wanted()) send_one(one);
                 });
}

// Who wants a lock starts the local: server, as in execute(). The answer waits for that: when it is asked
// for again the server is there, or it is known why not.
void single_server::give_up_or_start(const std::shared_ptr<submitted>& one,
                                     const redis::failure& why)
{
    using kind = redis::failure_kind;
    const bool starts = one->what.acquires() && one->wanted() &&
                        (why.what == kind::unreachable || why.what == kind::nobody_listens);
    const auto started = [one, why](const std::optional<redis::failure>& start_problem) {
        // Someone listens now, if it was started.
        auto left = start_problem.value_or(redis::failure{kind::unreachable, why.detail});
        left.sent = why.sent;
        one->done(one->what.on_problem(left));
    };
    if (!starts || !way_->start_server(started)) one->done(one->what.on_problem(why));
}

void single_server::listen(std::string_view client, notice_listener& who)
{
    listener_ = &who;
    way_->listen(channel_of(client), *this);
}

void single_server::heard(std::string_view text)
{
    const auto got = read_message(text);
    if (!got) return;
    if (got->what == message::kind::wanted) {
        listener_->wanted(got->lock);
        return;
    }
    listener_->granted({.holder = std::string{got->holder},
                        .fence = got->fence,
                        .at = clock_.when(got->time).value_or(base::boot_time{})});
}

void single_server::doubt()
{
    constexpr std::chrono::seconds patience{1};
    way_->submit(
        [](const auto&, auto& out) {
            redis::append_request(out, std::array<std::string_view, 1>{"PING"});
            return 1U;
        },
        patience, [](const auto*, const auto*) {});
}

outcome single_server::ping(base::boot_time until)
{
    outcome got{.what = core::verdict::done};
    const auto ask = [&] {
        return way_->call(
            [](const auto&, auto& out) {
                redis::append_request(out, std::array<std::string_view, 1>{"PING"});
                return 1U;
            },
            {until, nullptr, true},
            [&](const auto& reply) {
                if (reply.is_error()) {
                    got = outcome_of(redis::failure_of_error(reply.text()));
                }
            });
    };
    auto problem = ask();
    // A connection that was used a moment ago may have ended since: that says nothing of the server.
    if (problem && problem->sent && problem->what == redis::failure_kind::unreachable) {
        problem = ask();
    }
    return problem ? outcome_of(*problem) : got;
}

// A batch, cut into parts of one request each. It is done when the last part is.
struct single_server::batch_under_way {
    batch what;
    std::vector<outcome> outcomes;
    std::size_t parts_left = 0;
    std::chrono::milliseconds patience{};
    batch_done done;
};

struct single_server::part {
    std::size_t begin;
    std::size_t size;
};

void single_server::submit(batch what, std::chrono::milliseconds patience, batch_done done)
{
    // Renewals of one layout stand together, so that one call can carry many.
    auto whole = std::make_shared<batch_under_way>();
    whole->outcomes.resize(what.size());
    whole->patience = patience;
    whole->done = std::move(done);
    whole->what = std::move(what);

    std::vector<part> parts;
    for (std::size_t i = 0; i < whole->what.size(); ++i) {
        const auto& next = whole->what[i];
        const bool joins = !parts.empty() && next.what == core::verb::renew &&
                           whole->what[parts.back().begin].what == core::verb::renew &&
                           whole->what[parts.back().begin].layout == next.layout;
        if (joins) {
            ++parts.back().size;
        } else {
            parts.push_back({i, 1});
        }
    }
    whole->parts_left = parts.size();
    for (const auto& each : parts) submit_part(whole, each, first_form());
}

void single_server::submit_part(const std::shared_ptr<batch_under_way>& whole, const part& which,
                                script_form form)
{
    const auto operations = [whole, which] {
        return std::span<const operation>{whole->what}.subspan(which.begin, which.size);
    };
    auto write = [this, operations, form](const redis::server_facts& server, std::string& out) {
        append_operations(out, operations(), form, server, clock_);
        return 1U;
    };
    auto read = [this, whole, which, operations, form](const redis::reply_view* reply,
                                                       const redis::failure* problem) {
        const bool by_sha = form == script_form::by_sha;
        if (reply != nullptr && by_sha && is_to_be_sent_in_full(*reply)) {
            submit_part(whole, which, script_form::in_full);
            return;
        }
        if (reply != nullptr && which.size > 1 && is_refusal(*reply)) {
            // One key that may not be touched must not cost the others their renewal.
            whole->parts_left += which.size - 1;
            for (std::size_t i = 0; i < which.size; ++i) {
                submit_part(whole, {which.begin + i, 1}, script_form::by_sha);
            }
            return;
        }
        const auto got = reply != nullptr ? read_outcomes(operations(), *reply)
                                          : std::vector<outcome>(which.size, outcome_of(*problem));
        std::ranges::copy(got, whole->outcomes.begin() + static_cast<std::ptrdiff_t>(which.begin));
        if (--whole->parts_left == 0) whole->done(whole->outcomes);
    };
    way_->submit(std::move(write), whole->patience, std::move(read));
}

}  // namespace pawl::store
