#include "store/memory/transport.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pawl::store::memory {

using redis::failure;
using redis::failure_kind;

namespace {

failure silence(bool connected)
{
    if (connected) return {failure_kind::no_reply, "no answer within the limit"};
    return {failure_kind::unreachable, "no connection within the limit"};
}

void read_replies(const request& what, const std::function<void(const redis::reply_view&)>& read)
{
    redis::reply_parser parser;
    std::string_view rest = what.reply;
    while (!rest.empty()) {
        static_cast<void>(parser.parse(rest));
        read(parser.reply(rest));
        rest.remove_prefix(parser.consumed());
        parser.reset();
    }
}

}  // namespace

transport::transport(base::clocked_scheduler& loop, std::shared_ptr<platform> where, limits within)
    : loop_{&loop},
      where_{std::move(where)},
      server_{where_->server().get()},
      limits_{within},
      since_{where_->now()}
{
    server_->time().join(loop);
}

transport::~transport()
{
    server_->time().leave(*loop_);
    server_->leave(where_->session());
}

request_ptr transport::make_request(const writer& write, bool connected) const
{
    auto made = std::make_shared<request>();
    made->from = where_->session();
    made->connected = connected;
    static_cast<void>(write({.major_version = 7, .resp3 = true, .since = since_}, made->bytes));
    return made;
}

std::optional<redis::failure> transport::call(
    const writer& request, const waiting& how,
    const std::function<void(const redis::reply_view&)>& read)
{
    const base::call_under_way mark{*where_};
    const bool connected = pool_connected_;
    const auto until = connected ? how.until : std::min(how.until, where_->now() + limits_.connect);
    const auto asked = make_request(request, connected);
    asked->on_answer = [&time = server_->time()] { time.wake(); };
    server_->send(asked);
    const bool stopped = !server_->time().wait(
        until, how.stop, [&answered = asked->answered] { return answered.load(); });
    server_->give_up(asked);
    pool_connected_ = asked->answered.load();
    if (!asked->answered) {
        auto why = stopped ? failure{failure_kind::cancelled, {}} : silence(connected);
        why.sent = connected;
        return why;
    }
    read_replies(*asked, read);
    return std::nullopt;
}

void transport::submit(writer request, std::chrono::milliseconds patience, reader done)
{
    const auto number = ++last_number_;
    const bool connected = loop_connected_;
    const auto asked = make_request(request, connected);
    asked->on_answer = [this, number] { loop_->post([this, number] { answered(number); }); };
    auto& mine = pending_[number];
    mine.asked = asked;
    mine.done = std::move(done);
    server_->send(asked);
    if (asked->answered) return;
    const auto limit = connected ? std::min(patience, limits_.command) : limits_.connect;
    mine.timer =
        loop_->call_at(where_->now() + limit, [this, connected] { close(silence(connected)); });
}

void transport::answered(std::uint64_t number)
{
    const auto node = pending_.extract(number);
    if (node.empty()) return;  // it was given up meanwhile
    const auto& mine = node.mapped();
    if (mine.timer) loop_->cancel(*mine.timer);
    loop_connected_ = true;
    read_replies(*mine.asked, [&](const auto& reply) { mine.done(&reply, nullptr); });
}

// If the server does not answer, the connection and all requests on it have ended.
void transport::close(const failure& why)
{
    loop_connected_ = false;
    // Moved out first: the handlers may make new requests.
    const auto all = std::exchange(pending_, {});
    for (const auto& [number, each] : all) {
        server_->give_up(each.asked);
        if (each.timer) loop_->cancel(*each.timer);
    }
    if (std::exchange(listening_, false)) {
        subscribe();
        listener_->listening(false);
    }
    for (const auto& [number, each] : all) each.done(nullptr, &why);
}

void transport::connect()
{
    loop_connected_ = loop_connected_ || server_->can_be_reached_by(where_->session());
}

void transport::listen(std::string channel, redis::listener& who)
{
    channel_ = std::move(channel);
    listener_ = &who;
    // Posted with the server's mutex held, like the replies, so that their order is kept.
    server_->on_message(where_->session(), [this](std::string_view message) {
        loop_->post([this, text = std::string{message}] { heard(text); });
    });
    subscribe();
}

// It may take any time, so there is no timer.
void transport::subscribe()
{
    const auto asked = make_request(
        [this](const redis::server_facts&, std::string& out) {
            redis::append_request(out, std::array<std::string_view, 2>{"SUBSCRIBE", channel_});
            return 1U;
        },
        loop_connected_);
    asked->on_answer = [this] { loop_->post([this] { subscribed(); }); };
    server_->send(asked);
}

void transport::subscribed()
{
    loop_connected_ = true;
    listening_ = true;
    listener_->listening(true);
}

void transport::heard(std::string_view message)
{
    // Otherwise the message belongs to the former connection.
    if (listening_) listener_->heard(message);
}

}  // namespace pawl::store::memory
