#include "redis/connection.h"

#include <poll.h>

#include <chrono>
#include <utility>

namespace pawl::redis {
namespace {

using std::chrono::milliseconds;

// The longest wait that a stop_token cannot interrupt.
constexpr milliseconds uninterruptible_wait{5};

// A connection that was used less than this time ago is not checked.
constexpr milliseconds fresh_for{1};

}  // namespace

connection::connection(const server& server, base::boot_time until, const base::interrupt* stop)
    : link_{server.dial(until)}
{
    while (link_->now() < link::state::ready && wait(until, stop)) link_->advance();
    if (ready()) link_->may_wait(uninterruptible_wait);
    last_used_ = base::boot_clock::now();
}

unsigned connection::send(const transport::writer& request)
{
    request_.clear();
    awaited_ = request(link_->facts(), request_);
    link_->send(request_);
    return awaited_;
}

std::optional<reply_view> connection::next_reply(base::boot_time until, const base::interrupt* stop)
{
    auto reply = link_->next_reply();
    // Most replies come at once. For late or incomplete replies, it waits with the limit.
    bool at_once = !reply && may_wait_in_link(until, stop);
    while (!reply && ready()) {
        const bool came = std::exchange(at_once, false) && link_->wait_and_read(alone_);
        if (!came) {
            if (!ready() || !wait(until, stop)) break;
            link_->advance();
        }
        reply = link_->next_reply();
    }
    if (reply && --awaited_ == 0) last_used_ = base::boot_clock::now();
    return reply;
}

bool connection::may_wait_in_link(base::boot_time until, const base::interrupt* stop) const
{
    const bool stopped = stop != nullptr && stop->token().stop_requested();
    return !stopped && ready() && link_->wanted() == POLLIN &&
           until - base::boot_clock::now() > 2 * uninterruptible_wait;
}

bool connection::is_stale()
{
    if (base::boot_clock::now() - last_used_ < fresh_for) return false;
    link_->advance();
    return !ready() || link_->next_reply().has_value();
}

// False if the limit has passed or a stop was requested. The link is closed then.
bool connection::wait(base::boot_time until, const base::interrupt* stop)
{
    switch (base::wait_for(link_->fd(), link_->wanted(), until, stop)) {
    case base::wait_end::ready: return true;
    case base::wait_end::interrupted: link_->close({failure_kind::cancelled, {}}); return false;
    case base::wait_end::timed_out: break;
    }
    link_->close(ready() ? failure{failure_kind::no_reply, "no answer within the limit"}
                         : link_->not_ready_in_time());
    return false;
}

}  // namespace pawl::redis
