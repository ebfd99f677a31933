// The shared connection: requests in the background, and messages from the server.
#include "sim/transport_parts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace pawl::sim {

using base::boot_time;
using redis::failure;
using redis::failure_kind;

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
        auto arrives = [this, on, text = std::string{push}] {
            if (shared_ == on) heard(text);
        };
        if (net_->push_late > 0 && dice_.chance(net_->push_late)) {
            where_->after(draw_delay() + dice_.spread(net_->delay, net_->latest),
                          [alive, on, arrives = std::move(arrives)] {
                              if (*alive && !on->dead) arrives();
                          });
            return;
        }
        send_back(on, std::move(arrives));
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
