#include "redis/pipeline.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
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

}  // namespace

void pipeline::call(writer request, std::chrono::milliseconds patience, reader done)
{
    unsent_.push_back({std::move(request), patience, std::move(done)});
    connect();
}

void pipeline::connect()
{
    if (std::exchange(start_posted_, true)) return;
    loop_->post([this] { start(); });
}

void pipeline::start()
{
    start_posted_ = false;
    try {
        if (!link_) {
            dialled_ = base::boot_clock::now();
            slowest_ = {};
            link_ = server_->dial();
        }
        advance();
    } catch (const std::system_error& e) {
        close({failure_kind::unreachable, e.what()});
    }
}

void pipeline::on_ready()
{
    try {
        advance();
    } catch (const std::system_error& e) {
        close({failure_kind::unreachable, e.what()});
    }
}

void pipeline::advance()
{
    unwatch();
    const bool was_ready = link_->now() == link::state::ready;
    link_->advance();
    if (link_->now() == link::state::ready) {
        // Connecting took a few round trips: a first idea of how slow the way is.
        if (!was_ready) slowest_ = base::boot_clock::now() - dialled_;
        send_waiting();
        read_replies();
    }
    if (link_->now() == link::state::closed) {
        const auto why = link_->problem();
        close(why);
        return;
    }
    watch();
    set_timer();
}

void pipeline::send_waiting()
{
    if (unsent_.empty()) return;
    std::string requests;
    const auto now = base::boot_clock::now();
    for (auto& next : unsent_) {
        next.request(link_->facts(), requests);
        next.sent = now;
        next.until = now + std::min(next.patience, limits_.command);
        sent_.push_back(std::move(next));
    }
    unsent_.clear();
    link_->send(requests);
}

void pipeline::read_replies()
{
    while (const auto reply = link_->next_reply()) {
        if (sent_.empty()) {
            link_->close({failure_kind::unreachable, "an answer that nobody asked for"});
            return;
        }
        heard_ = base::boot_clock::now();
        slowest_ = std::max(heard_ - sent_.front().sent, slowest_ - slowest_ / 8);
        const auto done = std::move(sent_.front().done);
        sent_.pop_front();
        done(&*reply, nullptr);
    }
}

// The descriptor differs from one stage of connecting to the next, so it is watched anew each time.
void pipeline::watch()
{
    watched_fd_ = link_->fd();
    loop_->watch(watched_fd_, epoll_events(link_->wanted()), [this] { on_ready(); });
}

void pipeline::unwatch()
{
    if (watched_fd_ >= 0) loop_->unwatch(std::exchange(watched_fd_, -1));
}

void pipeline::set_timer()
{
    if (timer_) loop_->cancel(*std::exchange(timer_, std::nullopt));
    auto next = base::boot_time::max();
    if (link_->now() < link::state::ready) next = dialled_ + limits_.connect;
    for (const auto& waiting : sent_) next = std::min(next, waiting.until);
    if (next != base::boot_time::max()) timer_ = loop_->call_at(next, [this] { on_timer(); });
}

void pipeline::on_timer()
{
    timer_.reset();
    const auto now = base::boot_clock::now();
    if (link_->now() != link::state::ready) {
        close({failure_kind::unreachable, "no connection within the limit"});
        return;
    }
    for (auto& waiting : sent_) {
        if (waiting.until > now) continue;
        if (is_dead(waiting, now)) {
            close({failure_kind::no_reply, "no answer within the limit"});
            return;
        }
        waiting.until = std::min(now + waiting.patience, waiting.sent + limits_.command);
    }
    set_timer();
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
    // Moved out first: who is told may ask again.
    auto waiting = std::move(sent_);
    std::ranges::move(unsent_, std::back_inserter(waiting));
    sent_.clear();
    unsent_.clear();
    for (const auto& each : waiting) each.done(nullptr, &why);
}

}  // namespace pawl::redis
