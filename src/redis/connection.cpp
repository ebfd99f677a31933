#include "redis/connection.h"

namespace pawl::redis {

connection::connection(const server& server, base::boot_time until, const base::interrupt* stop)
    : link_{server.dial()}
{
    while (link_->now() < link::state::ready && wait(until, stop)) link_->advance();
}

std::optional<reply_view> connection::call(std::string_view request, base::boot_time until,
                                           const base::interrupt* stop)
{
    awaiting_reply_ = true;
    link_->send(request);
    while (link_->now() == link::state::ready && wait(until, stop)) {
        link_->advance();
        if (auto reply = link_->next_reply()) {
            awaiting_reply_ = false;
            return reply;
        }
    }
    return std::nullopt;
}

bool connection::is_stale()
{
    link_->advance();
    return !ready() || link_->next_reply().has_value();
}

// False when there is nothing more to wait for; the link is closed then.
bool connection::wait(base::boot_time until, const base::interrupt* stop)
{
    switch (base::wait_for(link_->fd(), link_->wanted(), until, stop)) {
    case base::wait_end::ready: return true;
    case base::wait_end::interrupted: link_->close({failure_kind::cancelled, {}}); return false;
    case base::wait_end::timed_out: break;
    }
    const bool was_ready = ready();
    link_->close({was_ready ? failure_kind::no_reply : failure_kind::unreachable,
                  was_ready ? "no answer within the limit" : "no connection within the limit"});
    return false;
}

}  // namespace pawl::redis
