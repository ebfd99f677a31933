#include "sim/transport.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stop_token>
#include <utility>

namespace pawl::sim {

using base::boot_time;
using redis::failure;
using redis::failure_kind;

namespace {

// The same values as in the pipeline.
constexpr std::chrono::milliseconds shortest_pause{50};
constexpr std::chrono::milliseconds longest_pause{1'000};

// When the server notices by itself that the client is gone.
constexpr std::chrono::seconds keepalive{30};

void show(const transport::onlooker& who, std::string_view request)
{
    if (!who) return;
    redis::reply_parser parser;
    static_cast<void>(parser.parse(request));
    std::vector<std::string_view> words;
    parser.reply(request).for_each([&](const auto& word) { words.push_back(word.text()); });
    who(words);
}

// The commands of a request, or the replies to it.
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

}  // namespace

struct transport::connection {
    server::peer end;  // as the server knows it
    bool open = false;
    bool listens = false;  // or has sent a SUBSCRIBE
    bool broken = false;   // and its owner knows it
    bool dead = false;     // nothing passes any more, whether its owner knows it or not
    boot_time since{};     // when it was opened, by its owner's clock
    nanoseconds last_request{0};
    nanoseconds last_reply{0};
    signal changed;                  // for the thread that waits for it
    std::function<void()> on_break;  // for the shared connection
};

struct transport::pending {
    writer request;
    std::chrono::milliseconds patience;
    reader done;
    boot_time until{};
    boot_time end{};
    unsigned replies = 0;
};

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

redis::server_facts transport::facts_of(const connection& what)
{
    return {.major_version = 7, .resp3 = true, .since = what.since};
}

// Sends one request and its reply. Whether it survives a break of the connection is decided when it
// is sent.
void transport::send(const connection_ptr& on, std::string request,
                     std::function<void(std::string)> on_reply)
{
    for (const auto& each : each_of(request)) show(on_send_, each);
    auto there = draw_delay();
    if (dice_.chance(net_->late)) there += dice_.spread(nanoseconds{1'000'000}, net_->latest);
    on->last_request = std::max(world_->now() + there, on->last_request);
    const bool survives = dice_.chance(0.5);
    const bool lost = on->dead || net_->requests_lost;
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

void transport::submit(writer request, std::chrono::milliseconds patience, reader done)
{
    show_words(request, on_submit_);
    unsent_.push_back({std::move(request), patience, std::move(done)});
    connect();
}

void transport::connect()
{
    where_->after({}, [this, alive = alive_] {
        if (!*alive) return;
        if (!shared_) {
            shared_ = dial();
            const auto on = shared_;
            shared_->on_break = [this, alive, raw = on.get()] {
                if (*alive && shared_.get() == raw) {
                    close_shared({failure_kind::unreachable, "connection reset"});
                }
            };
            shared_->changed.on_set = [this, alive, raw = on.get()] {
                if (*alive && shared_.get() == raw && raw->open) send_waiting();
            };
            where_->after(limits_.connect, [this, alive, on] {
                if (*alive && shared_ == on && !on->open) {
                    close_shared({failure_kind::unreachable, "no connection within the limit"});
                }
            });
        }
        if (shared_->open) send_waiting();
    });
}

void transport::listen(std::string channel, redis::listener& who)
{
    channel_ = std::move(channel);
    listener_ = &who;
    connect();
}

// The first request on a new connection.
void transport::subscribe()
{
    const auto on = shared_;
    on->listens = true;
    pause_ = shortest_pause;
    for (const auto& each : std::exchange(silent_, {})) server_->forget(each->end);
    server_->on_push(on->end, [this, alive = alive_, on](std::string_view push) {
        if (!*alive || dice_.chance(net_->push_loss)) return;
        send_back(on, [this, on, text = std::string{push}] {
            if (shared_ == on) heard(text);
        });
    });
    auto write = [this](const redis::server_facts&, std::string& out) {
        redis::append_request(out, std::array<std::string_view, 2>{"SUBSCRIBE", channel_});
        return 1U;
    };
    // The confirmation is a message too, but it arrives in place of a reply.
    auto done = [this](const redis::reply_view* reply, const failure*) {
        if (reply == nullptr || reply->is_error()) return;
        listening_ = true;
        listener_->listening(true);
    };
    unsent_.push_front({std::move(write), limits_.command, std::move(done)});
}

void transport::heard(const std::string& push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto message = parser.reply(push);  // its kind, the channel, the text
    if (listening_ && message[1].text() == channel_) listener_->heard(message[2].text());
}

void transport::plan_to_connect()
{
    where_->at(where_->now() + pause_, [this, alive = alive_, pause = ++pauses_] {
        if (*alive && pause == pauses_) connect();
    });
    pause_ = std::min(2 * pause_, longest_pause);
}

void transport::send_waiting()
{
    if (listener_ != nullptr && !shared_->listens) subscribe();
    for (auto& next : std::exchange(unsent_, {})) {
        std::string bytes;
        next.replies = next.request(facts_of(*shared_), bytes);
        next.until = where_->now() + std::min(next.patience, limits_.command);
        next.end = where_->now() + limits_.command;
        sent_.push_back(std::move(next));
        for (auto& each : packets_of(bytes)) {
            send(shared_, std::move(each), [this, on = shared_](const std::string& text) {
                for (const auto& reply : each_of(text)) {
                    if (shared_ == on) answer(reply);
                }
            });
        }
    }
    look_after(shared_);
}

void transport::answer(const std::string& reply)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    const auto done = sent_.front().done;
    if (--sent_.front().replies == 0) sent_.pop_front();
    // A sign of life: the patience of the others starts again.
    for (auto& each : sent_) each.until = std::min(where_->now() + each.patience, each.end);
    done(&view, nullptr);
}

// If nothing arrives, the connection has ended, or the server is slow.
void transport::look_after(const connection_ptr& on)
{
    auto next = boot_time::max();
    for (const auto& each : sent_) next = std::min(next, each.until);
    where_->at(next, [this, alive = alive_, on, look = ++looks_] {
        if (!*alive || shared_ != on || look != looks_) return;
        const auto now = where_->now();
        for (auto& each : sent_) {
            if (each.until > now) continue;
            if (each.end <= now || dice_.chance(0.5)) {
                close_shared({failure_kind::no_reply, "no answer within the limit"});
                return;
            }
            each.until = std::min(now + each.patience, each.end);
        }
        look_after(on);
    });
}

void transport::close_shared(const failure& why)
{
    const auto ended = std::exchange(shared_, nullptr);
    auto abandoned = std::exchange(sent_, {});
    std::ranges::move(unsent_, std::back_inserter(abandoned));
    unsent_.clear();
    if (listener_ != nullptr) {
        if (ended->dead) silent_.push_back(ended);
        forget(ended, ended->dead ? keepalive : draw_delay());
        plan_to_connect();
    }
    if (std::exchange(listening_, false)) listener_->listening(false);
    for (const auto& each : abandoned) each.done(nullptr, &why);
}

}  // namespace pawl::sim
