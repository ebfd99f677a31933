#include "redis/pipeline.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <vector>

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

void pipeline::call(writer request, base::boot_time until, reader done)
{
    unsent_.push_back({std::move(request), until, std::move(done)});
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
    if (!link_) {
        connect_by_ = base::boot_clock::now() + connect_limit_;
        try {
            link_ = server_->dial();
        } catch (const std::system_error& e) {
            close({failure_kind::unreachable, e.what()});
            return;
        }
    }
    advance();
}

void pipeline::advance()
{
    unwatch();
    try {
        link_->advance();
    } catch (const std::system_error& e) {
        link_->close({failure_kind::unreachable, e.what()});
    }
    if (link_->now() == link::state::ready) {
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
    for (auto& next : unsent_) {
        next.request(link_->facts(), requests);
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
        const auto done = std::move(sent_.front().done);
        sent_.pop_front();
        done(&*reply, nullptr);
    }
}

// The descriptor differs from one stage of connecting to the next, so it is watched anew each time.
void pipeline::watch()
{
    watched_fd_ = link_->fd();
    loop_->watch(watched_fd_, epoll_events(link_->wanted()), [this] { advance(); });
}

void pipeline::unwatch()
{
    if (watched_fd_ >= 0) loop_->unwatch(std::exchange(watched_fd_, -1));
}

base::boot_time pipeline::next_limit() const
{
    auto limit = base::boot_time::max();
    for (const auto* queue : {&sent_, &unsent_}) {
        for (const auto& waiting : *queue) limit = std::min(limit, waiting.until);
    }
    if (link_->now() < link::state::ready) limit = std::min(limit, connect_by_);
    return limit;
}

void pipeline::set_timer()
{
    if (timer_) loop_->cancel(*std::exchange(timer_, std::nullopt));
    const auto limit = next_limit();
    if (limit != base::boot_time::max()) timer_ = loop_->call_at(limit, [this] { on_timer(); });
}

void pipeline::on_timer()
{
    timer_.reset();
    const auto now = base::boot_clock::now();
    if (link_->now() == link::state::ready) {
        close({failure_kind::no_reply, "no answer within the limit"});
    } else if (now >= connect_by_) {
        close({failure_kind::unreachable, "no connection within the limit"});
    } else {
        give_up_waiting(now);
    }
}

// Connecting goes on, for whoever asks next: on a slow network it may take longer than one of them
// can wait.
void pipeline::give_up_waiting(base::boot_time now)
{
    const auto late = std::ranges::stable_partition(
        unsent_, [&](const pending& each) { return each.until > now; });
    const std::vector<pending> gone{std::make_move_iterator(late.begin()),
                                    std::make_move_iterator(late.end())};
    unsent_.erase(late.begin(), late.end());
    set_timer();
    const failure why{failure_kind::unreachable, "no connection within the limit"};
    for (const auto& each : gone) each.done(nullptr, &why);
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
