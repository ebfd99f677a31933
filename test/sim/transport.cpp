// Connections, and the calls of threads. transport_shared.cpp has the connection that is shared.
#include "sim/transport.h"

#include "sim/script_call.h"
#include "sim/transport_parts.h"

#include <algorithm>
#include <stop_token>
#include <utility>

namespace pawl::sim {

using redis::failure;
using redis::failure_kind;

std::vector<std::string> each_of(std::string_view text)
{
    std::vector<std::string> all;
    redis::reply_parser parser;
    while (!text.empty()) {
        static_cast<void>(parser.parse(text));
        all.emplace_back(text.substr(0, parser.consumed()));
        text.remove_prefix(parser.consumed());
        parser.reset();
    }
    return all;
}

namespace {

void show(const transport::onlooker& who, std::string_view request)
{
    if (!who) return;
    redis::reply_parser parser;
    static_cast<void>(parser.parse(request));
    std::vector<std::string_view> words;
    parser.reply(request).for_each([&](const auto& word) { words.push_back(word.text()); });
    who(words);
}

bool is_hand_back(std::string_view request)
{
    bool found = false;
    const transport::onlooker look = [&](const std::vector<std::string_view>& words) {
        const auto call = read_call(words);
        found = found || (call && call->what == script_call::kind::hand_back);
    };
    for (const auto& each : each_of(request)) show(look, each);
    return found;
}

}  // namespace

transport::transport(world& world, server& server, std::shared_ptr<process> where, network& net,
                     dice dice, limits within)
    : world_{&world},
      server_{&server},
      where_{std::move(where)},
      net_{&net},
      dice_{dice},
      limits_{within},
      alive_{std::make_shared<bool>(true)},
      pause_{shortest_pause}
{
}

transport::~transport()
{
    *alive_ = false;
    if (shared_) forget(shared_, shared_->dead ? keepalive : draw_delay());
}

nanoseconds transport::draw_delay()
{
    auto delay = net_->delay + nanoseconds{dice_.between(0, net_->delay.count())};
    if (dice_.chance(net_->spike)) delay += dice_.spread(net_->delay, net_->longest_spike);
    return delay;
}

// A connection is open when its first reply has arrived. Without a reply it stays unopened.
transport::connection_ptr transport::dial()
{
    const auto fresh = std::make_shared<connection>();
    fresh->end = server_->greet();
    std::erase_if(all_, [](const auto& each) { return each.expired(); });
    all_.push_back(fresh);
    if (!server_->is_up()) {
        where_->after(draw_delay(), [fresh] {
            fresh->broken = fresh->dead = true;
            fresh->changed.set();
            if (fresh->on_break) fresh->on_break();
        });
        return fresh;
    }
    send(fresh, "*1\r\n$4\r\nPING\r\n", [this, fresh](const std::string&) {
        fresh->open = true;
        fresh->since = where_->now();
        fresh->changed.set();
    });
    return fresh;
}

// Shows a request before there is a connection, in its most likely form.
void transport::show_words(const writer& request, const onlooker& to)
{
    std::string bytes;
    static_cast<void>(request({.major_version = 7, .resp3 = true}, bytes));
    for (const auto& each : each_of(bytes)) show(to, each);
}

// Bytes that are written at once arrive at once, and are executed without anything in between.
// Rarely they are split.
std::vector<std::string> transport::packets_of(const std::string& request)
{
    return dice_.chance(0.05) ? each_of(request) : std::vector{request};
}

redis::server_facts transport::facts_of(const connection& what) const
{
    return {.major_version = 7,
            .resp3 = true,
            .since = what.since,
            .run_id = server_->run_id_for(what.end)};
}

// Sends one request and its reply. Whether it survives a break of the connection is decided when it
// is sent.
void transport::send(const connection_ptr& on, std::string request,
                     std::function<void(std::string)> on_reply)
{
    for (const auto& each : each_of(request)) show(on_send_, each);
    auto there = draw_delay();
    if (dice_.chance(net_->late)) there += dice_.spread(nanoseconds{1'000'000}, net_->latest);
    const bool stray = net_->stray > 0 && is_hand_back(request) && dice_.chance(net_->stray);
    if (stray) there += dice_.spread(nanoseconds{1'000'000}, net_->latest);
    on->last_request = std::max(world_->now() + there, on->last_request);
    const bool survives = dice_.chance(0.5) || stray;
    const bool lost = on->dead || stray || net_->requests_lost;
    if (lost) fall_silent(on);  // later bytes would wait for the lost ones
    if (lost && !survives) return;
    const auto back = [this, alive = alive_, on,
                       on_reply = std::move(on_reply)](std::string reply) {
        if (!*alive) return;
        send_back(on, [on_reply, reply = std::move(reply)] { on_reply(reply); });
    };
    // The server may get it after the client, or even its process, is gone.
    world_->at(on->last_request, [&server = *server_, on, survives, back, lost,
                                  request = std::move(request)]() mutable {
        if ((on->dead || lost) && !survives) return;
        server.receive(on->end, std::move(request), back);
    });
}

// Everything that the server sends arrives in order.
void transport::send_back(const connection_ptr& on, std::function<void()> arrives)
{
    if (on->dead) return;
    if (net_->replies_lost) {
        fall_silent(on);
        return;
    }
    on->last_reply = std::max(world_->now() + draw_delay(), on->last_reply);
    where_->after(on->last_reply - world_->now(),
                  [this, alive = alive_, on, arrives = std::move(arrives)] {
                      if (!*alive || on->dead) return;
                      if (on_arrival_) on_arrival_();
                      arrives();
                  });
}

void transport::fall_silent(const connection_ptr& on)
{
    if (std::exchange(on->dead, true)) return;
    forget(on, keepalive);
}

// The server forgets the connection.
void transport::forget(const connection_ptr& ended, nanoseconds after)
{
    if (!ended->listens) return;
    world_->after(after, [&server = *server_, ended] { server.forget(ended->end); });
}

void transport::break_all(bool silently)
{
    for (const auto& each : all_) {
        const auto on = each.lock();
        if (!on || on->dead) continue;
        if (silently) {
            fall_silent(on);
            continue;
        }
        on->dead = true;
        server_->forget(on->end);
        where_->after(draw_delay(), [on] {
            on->broken = true;
            on->changed.set();
            if (on->on_break) on->on_break();
        });
    }
}

std::optional<failure> transport::wait_until_open(connection& what, const waiting& how)
{
    const auto until = std::min(how.until, where_->now() + limits_.connect);
    while (!what.open) {
        if (how.stop != nullptr && how.stop->token().stop_requested()) {
            return failure{failure_kind::cancelled, {}};
        }
        if (what.broken) return failure{failure_kind::unreachable, "connection refused"};
        if (where_->is_dead() || where_->now() >= until) {
            return failure{failure_kind::unreachable, "no connection within the limit"};
        }
        what.changed.is_set = false;
        where_->wait(what.changed, until);
    }
    return std::nullopt;
}

std::optional<redis::failure> transport::call(
    const writer& request, const waiting& how,
    const std::function<void(const redis::reply_view&)>& read)
{
    if (where_->is_dead()) return failure{failure_kind::unreachable, "dead", false};
    show_words(request, on_call_);
    connection_ptr on;
    const auto token = how.stop != nullptr ? how.stop->token() : std::stop_token{};
    const std::stop_callback watch{token, [&] {
                                       if (on) on->changed.set();
                                   }};
    while (!idle_.empty() && (!on || on->broken)) {
        on = std::move(idle_.back());
        idle_.pop_back();
    }
    if (!on || on->broken) {
        on = dial();
        if (auto problem = wait_until_open(*on, how)) {
            problem->sent = false;
            return problem;
        }
    }
    std::string bytes;
    const auto replies = request(facts_of(*on), bytes);
    auto got = std::make_shared<std::vector<std::string>>();
    for (auto& each : packets_of(bytes)) {
        send(on, std::move(each), [on, got](const std::string& text) {
            for (auto& reply : each_of(text)) got->push_back(std::move(reply));
            on->changed.set();
        });
    }
    while (got->size() < replies) {
        std::optional<failure> problem;
        if (token.stop_requested()) problem = failure{failure_kind::cancelled, {}};
        if (on->broken) problem = failure{failure_kind::unreachable, "connection reset"};
        if (where_->is_dead()) problem = failure{failure_kind::unreachable, "dead"};
        if (where_->now() >= how.until) {
            problem = failure{failure_kind::no_reply, "no answer within the limit"};
        }
        if (problem) {
            idle_.clear();
            return problem;
        }
        on->changed.is_set = false;
        where_->wait(on->changed, how.until);
    }
    idle_.push_back(on);
    for (const auto& each : *got) {
        redis::reply_parser parser;
        static_cast<void>(parser.parse(each));
        read(parser.reply(each));
    }
    return std::nullopt;
}

}  // namespace pawl::sim
