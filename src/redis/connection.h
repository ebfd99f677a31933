// A connection for a blocking caller: the calling thread does the I/O itself.
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
    // Connects and does the handshake. Then it is ready, or it is closed and problem() says why.
    // `stop` may be null.
    connection(const server& server, base::boot_time until, const base::interrupt* stop);

    [[nodiscard]] bool ready() const noexcept { return link_->now() == link::state::ready; }

    // Whether this is the only connection of the client in use. This decides how it waits for a
    // reply.
    void is_alone(bool now) noexcept { alone_ = now; }

    // Sends a request. Returns the number of its replies.
    unsigned send(const transport::writer& request);

    // Waits for the next reply. If none comes the connection is closed: the reply could still
    // arrive, and would be taken for the reply to another request. The view is valid until the next
    // call.
    [[nodiscard]] std::optional<reply_view> next_reply(base::boot_time until,
                                                       const base::interrupt* stop);

    // Whether all replies have arrived, so that the next caller cannot get the reply to another
    // request.
    [[nodiscard]] bool is_reusable() const noexcept { return ready() && awaited_ == 0; }

    // Whether the other side has closed it, or sent something unexpected, since the last call. If
    // that call was very recent, it does not check: that would cost every caller a system call, and
    // would rarely avoid a repeated request.
    [[nodiscard]] bool is_stale();

    // Closes it because its server is the wrong one, so that it is not used again.
    void leave() { link_->close({failure_kind::not_now, {}}); }

    [[nodiscard]] const failure& problem() const noexcept { return link_->problem(); }

private:
    [[nodiscard]] bool may_wait_in_link(base::boot_time until, const base::interrupt* stop) const;
    bool wait(base::boot_time until, const base::interrupt* stop);

    std::unique_ptr<link> link_;
    std::string request_;  // a member, to reuse its memory
    base::boot_time last_used_{};
    unsigned awaited_ = 0;  // outstanding replies
    bool alone_ = true;
};

}  // namespace pawl::redis
