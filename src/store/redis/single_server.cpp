#include "store/redis/single_server.h"

#include "store/redis/message.h"
#include "store/redis/reading.h"

#include <array>
#include <utility>

namespace pawl::store {

core::reply single_server::execute(const core::request& what, base::boot_time until,
                                   const base::interrupt* stop)
{
    auto any = make_call(what, memory_, *platform_);
    auto& one = call_in(any);
    auto next = server_call::next::send;
    while (next != server_call::next::finish) {
        const auto problem =
            way_->call([&](const auto& server, auto& out) { return one.write(server, out); },
                       {until, stop, one.may_start_server()},
                       [&](const auto& reply) { next = one.on_reply(reply); });
        if (problem) return one.on_problem(*problem);
    }
    return one.take();
}

std::optional<core::failure> single_server::prepare()
{
    auto problem = way_->prepare();
    if (!problem) return std::nullopt;
    problem->sent = false;
    return failure_of(*problem);
}

struct single_server::submitted {
    any_call what;
    std::chrono::milliseconds patience;
    still_wanted wanted;
    reply_handler done;

    [[nodiscard]] server_call& call() { return call_in(what); }
};

void single_server::submit(core::request what, std::chrono::milliseconds patience,
                           still_wanted wanted, reply_handler done)
{
    send(std::make_shared<submitted>(submitted{make_call(std::move(what), memory_, *platform_),
                                               patience, std::move(wanted), std::move(done)}));
}

void single_server::send(const std::shared_ptr<submitted>& one)
{
    way_->submit([one](const auto& server, auto& out) { return one->call().write(server, out); },
                 one->patience,
                 [this, one](const auto* reply, const auto* problem) {
                     if (problem != nullptr) {
                         give_up_or_start(one, *problem);
                         return;
                     }
                     const auto next = one->call().on_reply(*reply);
                     if (next == server_call::next::finish) one->done(one->call().take());
                     if (next == server_call::next::send && one->wanted()) send(one);
                 });
}

// As in execute(), an acquire starts the local: server. The reply is delayed until then. So when the caller
// asks again, the server runs, or it is known why it does not.
void single_server::give_up_or_start(const std::shared_ptr<submitted>& one,
                                     const redis::failure& why)
{
    using kind = redis::failure_kind;
    const bool starts = one->call().may_start_server() && one->wanted() &&
                        (why.what == kind::unreachable || why.what == kind::nobody_listens);
    const auto started = [one, why](const std::optional<redis::failure>& start_problem) {
        // If the server was started, the failure is no longer `nobody_listens`.
        auto left = start_problem.value_or(redis::failure{kind::unreachable, why.detail});
        left.sent = why.sent;
        one->done(one->call().on_problem(left));
    };
    if (!starts || !way_->start_server(started)) one->done(one->call().on_problem(why));
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
    listener_->granted({.holder = core::whole_holder(got->holder),
                        .fence = got->fence,
                        .at = memory_.clock.when(got->time).value_or(base::boot_time{})});
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

}  // namespace pawl::store
