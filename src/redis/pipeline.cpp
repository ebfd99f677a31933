#include "redis/pipeline.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>

namespace pawl::redis {
namespace {

std::uint32_t epoll_events(short wanted)
{
    std::uint32_t events = EPOLLIN;
    if ((wanted & POLLIN) == 0) events = 0;
    if ((wanted & POLLOUT) != 0) events |= EPOLLOUT;
    return events;
}

std::string_view name_of(channel_command what)
{
    switch (what) {
    case channel_command::subscribe: return "SUBSCRIBE";
    case channel_command::ssubscribe: return "SSUBSCRIBE";
    case channel_command::sunsubscribe: break;
    }
    return "SUNSUBSCRIBE";
}

failure failure_of(server_role role)
{
    if (role == server_role::replica) return {failure_kind::replica, "the server is a replica"};
    return {failure_kind::not_now, "the server is not ready"};
}

}  // namespace

void pipeline::call(writer request, std::chrono::milliseconds patience, reader done)
{
    unsent_.push_back({std::move(request), patience, std::move(done)});
    if (!reading_) connect();
}

void pipeline::connect()
{
    if (std::exchange(start_posted_, true)) return;
    loop_->post([this] { start(); });
}

void pipeline::listen(std::string channel, listener& who)
{
    subscription_ = std::make_unique<subscription>(*loop_, *this, std::move(channel), who);
    watch_channels(*subscription_);
    if (link_ && link_->now() == link::state::ready) tell_connected();
    connect();
}

void pipeline::send(channel_command what, const std::string& channel)
{
    auto write = [what, channel](const server_facts&, std::string& out) {
        append_request(out, std::array<std::string_view, 2>{name_of(what), channel});
        return 1U;
    };
    unsent_.push_back({std::move(write), limits_.command, nullptr, {what, channel}});
    if (!reading_) connect();
}

void pipeline::hang_up()
{
    if (link_) close({failure_kind::unreachable, "the connection is not needed any more"});
}

void pipeline::start()
{
    start_posted_ = false;
    if (ended_) {
        close(*ended_);
        return;
    }
    try {
        if (!link_) dial();
        if (link_->now() == link::state::ready) {
            send_waiting();
            settle();
        } else {
            advance();
        }
    } catch (const std::system_error& e) {
        close({failure_kind::unreachable, e.what()});
    }
}

void pipeline::on_ready()
{
    if (!link_) return;
    try {
        advance();
    } catch (const std::system_error& e) {
        close({failure_kind::unreachable, e.what()});
    }
}

void pipeline::dial()
{
    dialled_ = base::boot_clock::now();
    slowest_ = {};
    link_ = server_->dial(dialled_ + limits_.connect);
    look_at(dialled_ + limits_.connect);
}

void pipeline::advance()
{
    const bool was_ready = link_->now() == link::state::ready;
    // The descriptor may change at each stage of connecting.
    if (!was_ready) unwatch();
    link_->advance();
    if (link_->now() == link::state::ready) {
        if (!was_ready) on_connected();
        // Replies first: the requests that they cause are then sent in the same turn.
        read_messages();
        send_waiting();
    }
    settle();
}

// To be called after each use of the link.
void pipeline::settle()
{
    if (link_->now() == link::state::closed) {
        const auto why = link_->problem();
        close(why);
    } else {
        watch();
    }
}

void pipeline::on_connected()
{
    // Connecting took a few round trips. This is a first estimate of how slow the connection is.
    slowest_ = base::boot_clock::now() - dialled_;
    if (std::exchange(was_ready_, true)) server_->count_reconnect();
    if (channels_ != nullptr) tell_connected();
}

void pipeline::tell_connected()
{
    auto waiting = std::exchange(unsent_, {});
    channels_->connected(link_->facts());
    std::ranges::move(waiting, std::back_inserter(unsent_));
}

void pipeline::send_waiting()
{
    if (unsent_.empty() || link_->now() != link::state::ready) return;
    requests_.clear();
    const auto now = base::boot_clock::now();
    auto first = base::boot_time::max();
    for (auto& next : unsent_) {
        const auto replies = next.request(link_->facts(), requests_);
        const auto until = now + std::min(next.patience, limits_.command);
        sent_.push_back(
            {next.patience, std::move(next.done), now, until, replies, std::move(next.about)});
        first = std::min(first, until);
    }
    unsent_.clear();
    link_->send(requests_);
    look_at(first);
}

void pipeline::read_messages()
{
    reading_ = true;
    bool first = true;
    while (const auto message = link_->next_message()) {
        if (std::exchange(first, false)) heard_ = base::boot_clock::now();
        if (message->type() == resp_type::push) {
            on_push(*message);
        } else {
            on_reply(*message);
        }
    }
    reading_ = false;
    if (wrong_role_ != server_role::unknown) {
        link_->close(failure_of(std::exchange(wrong_role_, server_role::unknown)));
        left_();
    }
}

// A server that is not ready will probably be ready soon, and connecting again and again would
// delay that.
bool pipeline::is_to_be_left(server_role role) const
{
    constexpr std::chrono::seconds a_while{1};
    if (role == server_role::not_ready) return heard_ - dialled_ > a_while;
    return role == server_role::replica;
}

void pipeline::leave(base::boot_time when)
{
    // A connection that is still being made will find out by itself.
    const bool ready = link_ && link_->now() == link::state::ready;
    if (ready && dialled_ <= when) close(failure_of(server_role::replica));
}

void pipeline::end(failure why)
{
    ended_ = std::move(why);
    close(*ended_);
    if (subscription_) subscription_->stop();
    channels_ = nullptr;
}

void pipeline::on_push(const reply_view& message)
{
    if (channels_ == nullptr || message.size() != 3) return;
    const auto kind = message[0].text();
    const auto channel = message[1].text();
    if (kind == "message" || kind == "smessage") {
        channels_->heard(message[2].text());
    } else if (kind == "subscribe" || kind == "ssubscribe") {
        answered_by_push(
            kind == "subscribe" ? channel_command::subscribe : channel_command::ssubscribe,
            channel);
        channels_->subscribed(channel);
    } else if (kind == "sunsubscribe") {
        answered_by_push(channel_command::sunsubscribe, channel);
        channels_->unsubscribed(channel);
    }
}

// A server also ends subscriptions by itself, with the same message as in an answer.
void pipeline::answered_by_push(channel_command what, std::string_view channel)
{
    if (sent_.empty() || sent_.front().done) return;
    const auto& about = sent_.front().about;
    if (about.what != what || about.channel != channel) return;
    static_cast<void>(take_answered());
    error_may_follow_ = what == channel_command::sunsubscribe;
}

void pipeline::on_reply(const reply_view& reply)
{
    if (reply.is_error()) {
        const auto role = role_in_error(reply.text());
        if (is_to_be_left(role)) wrong_role_ = std::max(wrong_role_, role);
    }
    if (sent_.empty()) {
        link_->close({failure_kind::unreachable, "a reply without a request"});
        return;
    }
    // It may be the answer to SUNSUBSCRIBE. If it were taken for that of the next request, so would be all that
    // follow, and a lock that was granted to one caller would be taken by another.
    if (std::exchange(error_may_follow_, false) && reply.is_error()) {
        link_->close({failure_kind::unreachable, "a reply that may belong to an earlier request"});
        return;
    }
    if (sent_.front().replies > 1) {
        --sent_.front().replies;
        // It may make further requests, but they wait until they are sent.
        sent_.front().done(&reply, nullptr);
        return;
    }
    const auto about = std::move(sent_.front().about);
    const auto done = take_answered();
    if (done) {
        done(&reply, nullptr);
    } else {
        channels_->refused(about.channel, failure_of_error(reply.text()));
    }
}

pipeline::reader pipeline::take_answered()
{
    auto& answered = sent_.front();
    slowest_ = std::max(heard_ - answered.sent, slowest_ - slowest_ / 8);
    auto done = std::move(answered.done);
    sent_.pop_front();
    return done;
}

void pipeline::watch()
{
    const auto events = epoll_events(link_->wanted());
    if (watched_fd_ < 0) {
        watched_fd_ = link_->fd();
        loop_->watch(watched_fd_, events, [this] { on_ready(); });
    } else if (events != watched_events_) {
        loop_->change(watched_fd_, events);
    }
    watched_events_ = events;
}

void pipeline::unwatch()
{
    if (watched_fd_ >= 0) loop_->unwatch(std::exchange(watched_fd_, -1));
}

void pipeline::look_at(base::boot_time when)
{
    if (when == base::boot_time::max() || (timer_ && timer_->first <= when)) return;
    if (timer_) loop_->cancel(*timer_);
    timer_ = loop_->call_at(when, [this] { on_timer(); });
}

void pipeline::on_timer()
{
    timer_.reset();
    // A reply may be here already: a guest thread was woken for it, but has not read it.
    on_ready();
    if (!link_) return;
    const auto now = base::boot_clock::now();
    auto next = base::boot_time::max();
    if (link_->now() != link::state::ready) {
        next = dialled_ + limits_.connect;
        if (now >= next) {
            close(link_->not_ready_in_time());
            return;
        }
    }
    for (auto& waiting : sent_) {
        if (waiting.until <= now) {
            if (is_dead(waiting, now)) {
                close({failure_kind::no_reply, "no answer within the limit"});
                return;
            }
            waiting.until = std::min(now + waiting.patience, waiting.sent + limits_.command);
        }
        next = std::min(next, waiting.until);
    }
    look_at(next);
}

bool pipeline::is_dead(const pending& waiting, base::boot_time now) const
{
    const auto waited = now - waiting.sent;
    if (waited >= limits_.command) return true;
    const bool silent = heard_ < waiting.sent;
    return silent && waited >= 4 * slowest_;
}

void pipeline::close(const failure& why)
{
    unwatch();
    if (timer_) loop_->cancel(*std::exchange(timer_, std::nullopt));
    link_.reset();
    reading_ = false;
    wrong_role_ = server_role::unknown;
    error_may_follow_ = false;
    // Moved out first: the handlers may make new requests.
    const auto sent = std::exchange(sent_, {});
    const auto unsent = std::exchange(unsent_, {});
    if (channels_ != nullptr) channels_->disconnected(why);
    for (const auto& each : sent) {
        if (each.done) each.done(nullptr, &why);
    }
    auto never_sent = why;
    never_sent.sent = false;
    for (const auto& each : unsent) {
        if (each.done) each.done(nullptr, &never_sent);
    }
}

}  // namespace pawl::redis
