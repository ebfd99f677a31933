#include "store/redis/single_server.h"

#include "store/redis/message.h"
#include "store/redis/reading.h"

#include <array>
#include <iterator>
#include <utility>

namespace pawl::store {

struct single_server::submitted {
    submitted(any_call call, std::chrono::milliseconds limit, still_wanted still,
              reply_handler handler)
        : what{std::move(call)}, patience{limit}, wanted{std::move(still)}, done{std::move(handler)}
    {
    }

    any_call what;
    std::chrono::milliseconds patience;
    still_wanted wanted;
    reply_handler done;
    std::optional<asking_call> asking{};
    base::boot_time written{};  // when it was last written to a connection
    std::list<submitted>::iterator self{};

    [[nodiscard]] server_call& call() { return asking ? *asking : call_in(what); }
};

single_server::single_server(std::shared_ptr<const base::platform> platform,
                             std::unique_ptr<redis::transport> way, double clock_drift,
                             server_settings settings)
    : platform_{std::move(platform)},
      memory_{.clock = server_clock{clock_drift}, .settings = std::move(settings)},
      way_{std::move(way)}
{
}

single_server::~single_server() = default;

core::reply single_server::execute(const core::request& what, base::boot_time until,
                                   const base::interrupt* stop)
{
    auto any = make_call(what, memory_, *platform_);
    return execute(call_in(any), until, stop);
}

core::reply single_server::execute_asking(const core::request& what, base::boot_time until,
                                          const base::interrupt* stop)
{
    auto any = make_call(what, memory_, *platform_);
    asking_call asking{call_in(any)};
    return execute(asking, until, stop);
}

core::reply single_server::execute(server_call& one, base::boot_time until,
                                   const base::interrupt* stop)
{
    auto next = server_call::next::send;
    while (next != server_call::next::finish) {
        // One reference, so that a std::function needs no memory for it.
        struct {
            const base::platform& clock;
            server_call& request;
            base::boot_time written{};
        } trip{*platform_, one};
        count_sent();
        const auto problem = way_->call(
            [&trip](const auto& server, auto& out) {
                trip.written = trip.clock.now();
                return trip.request.write(server, out);
            },
            {until, stop, one.may_start_server()},
            [&](const auto& reply) { next = one.on_reply(reply); });
        if (problem) {
            count_failed();
            return one.on_problem(*problem);
        }
        count_answered(trip.written);
    }
    return one.take();
}

void single_server::count_sent() const
{
    if (memory_.settings.counted_in) memory_.settings.counted_in->sent.add();
}

void single_server::count_failed() const
{
    if (memory_.settings.counted_in) memory_.settings.counted_in->failed.add();
}

void single_server::count_answered(base::boot_time written) const
{
    if (!memory_.settings.counted_in) return;
    memory_.settings.counted_in->round_trip.add(platform_->now() - written);
}

std::optional<core::failure> single_server::prepare()
{
    auto problem = way_->prepare();
    if (!problem) return std::nullopt;
    problem->sent = false;
    return failure_of(*problem);
}

void single_server::submit(core::request what, std::chrono::milliseconds patience,
                           still_wanted wanted, reply_handler done)
{
    send(add(std::move(what), patience, std::move(wanted), std::move(done)));
}

void single_server::submit_asking(core::request what, std::chrono::milliseconds patience,
                                  still_wanted wanted, reply_handler done)
{
    auto& one = add(std::move(what), patience, std::move(wanted), std::move(done));
    one.asking.emplace(call_in(one.what));
    send(one);
}

single_server::submitted& single_server::add(core::request what, std::chrono::milliseconds patience,
                                             still_wanted wanted, reply_handler done)
{
    auto& one = submitted_.emplace_back(make_call(std::move(what), memory_, *platform_), patience,
                                        std::move(wanted), std::move(done));
    one.self = std::prev(submitted_.end());
    return one;
}

// The handlers hold pointers, so that a std::function needs no memory for them: this is the path of every request.
void single_server::send(submitted& one)
{
    auto write = [this, which = &one](const auto& server, auto& out) {
        if (memory_.settings.note_run) memory_.settings.note_run(server.run_id);
        which->written = platform_->now();
        return which->call().write(server, out);
    };
    auto read = [this, which = &one](const auto* reply, const auto* problem) {
        if (problem != nullptr) {
            count_failed();
            give_up_or_start(*which, *problem);
            return;
        }
        const auto next = which->call().on_reply(*reply);
        if (next == server_call::next::read) return;
        count_answered(which->written);
        if (next == server_call::next::finish) {
            finish(*which, which->call().take());
        } else if (which->wanted()) {
            send(*which);
        } else {
            submitted_.erase(which->self);
        }
    };
    count_sent();
    if (one.call().waits_for_replicas()) {
        way_->submit_apart(write, one.patience, read);
    } else {
        way_->submit(write, one.patience, read);
    }
}

// Erased first: the handler may destroy the objects that the request names.
void single_server::finish(submitted& one, core::reply got)
{
    const auto done = std::move(one.done);
    submitted_.erase(one.self);
    done(std::move(got));
}

// As in execute(), an acquire starts the local: server. The reply is delayed until then. So when the caller
// asks again, the server runs, or it is known why it does not.
void single_server::give_up_or_start(submitted& one, const redis::failure& why)
{
    using kind = redis::failure_kind;
    const bool starts = one.call().may_start_server() && one.wanted() &&
                        (why.what == kind::unreachable || why.what == kind::nobody_listens);
    const auto started = [this, which = &one,
                          why](const std::optional<redis::failure>& start_problem) {
        // If the server was started, the failure is no longer `nobody_listens`.
        auto left = start_problem.value_or(redis::failure{kind::unreachable, why.detail});
        left.sent = why.sent;
        finish(*which, which->call().on_problem(left));
    };
    if (!starts || !way_->start_server(started)) finish(one, one.call().on_problem(why));
}

void single_server::listen(std::string_view client, notice_listener& who)
{
    listener_ = &who;
    way_->listen(channel_of(client), *this);
}

void single_server::deliver(std::string_view text, notice_listener& who) const
{
    const auto got = read_message(text);
    if (!got) return;
    if (got->what == message::kind::wanted) {
        who.wanted(got->lock);
        return;
    }
    if (got->what == message::kind::broken) {
        who.broken(got->holder, got->reason);
        return;
    }
    who.granted({.holder = core::whole_holder(got->holder),
                 .fence = got->fence,
                 .at = memory_.clock.when(got->time).value_or(base::boot_time{}),
                 .acknowledged = !memory_.settings.acks.is_on()});
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

std::optional<core::failure> single_server::ping(base::boot_time until)
{
    std::optional<core::failure> got;
    const auto ask = [&] {
        return way_->call(
            [](const auto&, auto& out) {
                redis::append_request(out, std::array<std::string_view, 1>{"PING"});
                return 1U;
            },
            {until, nullptr, true},
            [&](const auto& reply) {
                if (reply.is_error()) got = failure_of(redis::failure_of_error(reply.text()));
            });
    };
    auto problem = ask();
    // The connection may have been closed since it was last used. That says nothing about the server.
    if (problem && problem->sent && problem->what == redis::failure_kind::unreachable) {
        problem = ask();
    }
    return problem ? failure_of(*problem) : got;
}

std::vector<server_answer> single_server::ask(const std::vector<server_question>& questions,
                                              base::boot_time until)
{
    std::vector<server_answer> all;
    all.reserve(questions.size());
    for (const auto& each : questions) {
        all.push_back(each.server == shown() ? ask(each, until) : no_such_server(each.server));
    }
    return all;
}

server_answer single_server::ask(const server_question& what, base::boot_time until)
{
    server_answer got;
    if (what.is_empty()) return got;
    const auto ask_once = [&] {
        got.replies.clear();
        got.sent = platform_->now();
        return way_->call(
            [&](const auto& server, auto& out) { return append(out, what, server); },
            {until, nullptr, false},
            [&](const auto& reply) { got.replies.push_back(read_command_reply(reply)); });
    };
    auto problem = ask_once();
    // As in ping(). A script may change something, and may have been executed: it is not repeated.
    if (!what.script && problem && problem->sent &&
        problem->what == redis::failure_kind::unreachable) {
        problem = ask_once();
    }
    if (problem) got.problem = failure_of(*problem);
    got.received = platform_->now();
    return got;
}

}  // namespace pawl::store
