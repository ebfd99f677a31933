// A connection for a caller who waits: the thread that asks does the I/O itself.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "redis/failure.h"
#include "redis/link.h"
#include "redis/server.h"
#include "redis/transport.h"

#include <memory>
#include <optional>
#include <string>

namespace pawl::redis {

class connection {
public:
    // Connects, greets, and is ready; or is closed, and problem() says why. `stop` may be null.
    connection(const server& server, base::boot_time until, const base::interrupt* stop);

    [[nodiscard]] bool ready() const noexcept { return link_->now() == link::state::ready; }

    // Whether nobody else uses a connection of this client, which makes a difference in how to wait.
    void is_alone(bool now) noexcept { alone_ = now; }

    // Sends a request. Returns how many replies it has.
    unsigned send(const transport::writer& request);

    // Waits for the next reply. Without one the connection is closed, for the reply could still arrive
    // and be taken for another's. The view is good until the next call.
    [[nodiscard]] std::optional<reply_view> next_reply(base::boot_time until,
                                                       const base::interrupt* stop);

    // Whether nobody's reply can be taken for another's on it.
    [[nodiscard]] bool is_reusable() const noexcept { return ready() && awaited_ == 0; }

    // Whether the other side has closed it, or said something unasked, since the last call. If that was
    // a moment ago nobody looks: that would cost every caller a system call to spare hardly anyone
    // a repeated request.
    [[nodiscard]] bool is_stale();

    // Its server is the wrong one: nobody is to use it again.
    void leave() { link_->close({failure_kind::not_now, {}}); }

    [[nodiscard]] const failure& problem() const noexcept { return link_->problem(); }

private:
    [[nodiscard]] bool may_wait_in_link(base::boot_time until, const base::interrupt* stop) const;
    bool wait(base::boot_time until, const base::interrupt* stop);

    std::unique_ptr<link> link_;
    std::string request_;  // kept for its memory
    base::boot_time last_used_{};
    unsigned awaited_ = 0;  // replies
    bool alone_ = true;
};

}  // namespace pawl::redis
