// A connection for a caller who waits: the thread that asks does the I/O itself.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "redis/failure.h"
#include "redis/link.h"
#include "redis/server.h"

#include <memory>
#include <optional>
#include <string_view>

namespace pawl::redis {

class connection {
public:
    // Connects, greets, and is ready; or is closed, and problem() says why. `stop` may be null.
    connection(const server& server, base::boot_time until, const base::interrupt* stop);

    [[nodiscard]] bool ready() const noexcept { return link_->now() == link::state::ready; }

    // Sends a request and waits for its reply. Without one the connection is closed, for the reply
    // could still arrive and be taken for another's. The view is good until the next call.
    [[nodiscard]] std::optional<reply_view> call(std::string_view request, base::boot_time until,
                                                 const base::interrupt* stop);

    // Whether nobody's reply can be taken for another's on it.
    [[nodiscard]] bool is_reusable() const noexcept { return ready() && !awaiting_reply_; }

    // Whether the other side has closed it, or said something unasked, since the last call.
    [[nodiscard]] bool is_stale();

    [[nodiscard]] const server_facts& facts() const noexcept { return link_->facts(); }
    [[nodiscard]] const failure& problem() const noexcept { return link_->problem(); }

private:
    bool wait(base::boot_time until, const base::interrupt* stop);

    std::unique_ptr<link> link_;
    bool awaiting_reply_ = false;
};

}  // namespace pawl::redis
