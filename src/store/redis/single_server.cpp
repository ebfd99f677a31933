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

// A script call renews at most so many locks: it keeps everyone else waiting meanwhile, about a
// microsecond a lock.
constexpr std::size_t most_in_one_call = 500;

script_form first_form()
{
    return base::is(base::mutant::d34_script_in_full) ? script_form::in_full : script_form::by_sha;
}

bool is_to_be_sent_in_full(const redis::reply_view& reply)
{
    return is_unknown_script(reply) && !base::is(base::mutant::d34_no_script);
}

}  // namespace

outcome single_server::execute(const operation& what, base::boot_time until,
                               const base::interrupt* stop)
{
    // Only who wants a lock starts the local: server: on one that was stopped nothing is held.
    const bool acquires = what.what == core::verb::acquire;
    const std::span<const operation> one{&what, 1};
    auto form = first_form();
    outcome got{.what = core::verdict::unavailable};
    bool again = true;
    bool corrected = false;
    // It may have to be sent in full, and once more, and again in full, with the right time.
    for (int tries = 0; tries < 4 && again; ++tries) {
        again = false;
        const auto problem =
            way_->call([&](const auto& server,
                           auto& out) { append_operations(out, one, form, server, clock_); },
                       {until, stop, acquires},
                       [&](const auto& reply) {
                           if (form == script_form::by_sha && is_to_be_sent_in_full(reply)) {
                               form = script_form::in_full;
                               again = true;
                               return;
                           }
                           const auto time = acquires ? read_time(reply) : std::nullopt;
                           if (time) clock_.heard(time->now, what.sent);
                           again = time && time->too_late && !std::exchange(corrected, true);
                           form = first_form();  // by now the server knows it
                           got = read_outcomes(one, reply).front();
                       });
        if (problem) return outcome_of(problem->why, problem->sent);
    }
    return got;
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
                        .fence = static_cast<std::uint64_t>(got->fence),
                        .at = clock_.when(got->time).value_or(base::boot_time{})});
}

void single_server::doubt()
{
    constexpr std::chrono::seconds patience{1};
    way_->submit(
        [](const auto&, auto& out) {
            redis::append_request(out, std::array<std::string_view, 1>{"PING"});
        },
        patience, [](const auto*, const auto*) {});
}

outcome single_server::ping(base::boot_time until)
{
    outcome got{.what = core::verdict::done};
    const auto problem = way_->call(
        [](const auto&, auto& out) {
            redis::append_request(out, std::array<std::string_view, 1>{"PING"});
        },
        {until, nullptr, true},
        [&](const auto& reply) {
            if (reply.is_error()) got = outcome_of(redis::failure_of_error(reply.text()), false);
        });
    return problem ? outcome_of(problem->why, problem->sent) : got;
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
                           parts.back().size < most_in_one_call &&
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
        const auto got = reply != nullptr
                             ? read_outcomes(operations(), *reply)
                             : std::vector<outcome>(which.size, outcome_of(*problem, true));
        std::ranges::copy(got, whole->outcomes.begin() + static_cast<std::ptrdiff_t>(which.begin));
        if (--whole->parts_left == 0) whole->done(whole->outcomes);
    };
    way_->submit(std::move(write), whole->patience, std::move(read));
}

}  // namespace pawl::store
