// The connection to one sentinel, on the client's event loop. It is kept open, and made again when it breaks.
#pragma once

#include "base/clock.h"
#include "base/event_loop.h"
#include "redis/pipeline.h"
#include "redis/server.h"
#include "redis/transport.h"
#include "redis/url.h"
#include "store/sentinel/answer.h"

#include <functional>
#include <string>
#include <string_view>

namespace pawl::store {

class sentinel_line final : private redis::listener {
public:
    struct handlers {
        std::function<void(sentinel_answer)> answered;
        std::function<void()> switched;  // a failover has ended, or one was missed: time to ask
    };

    // Throws pawl::error (bad_argument) if a certificate cannot be used.
    sentinel_line(base::event_loop& loop, redis::server_config config, std::string service,
                  redis::transport::limits within, handlers tell);

    // On the loop only, as all that follows. Connects, and listens for the end of failovers.
    void start();

    // Asks which server is the primary. Does nothing if an answer is still to come.
    void ask();

    // Whether it would hear of a failover. Sentinels before 6.0 do not send messages.
    [[nodiscard]] bool is_listening() const noexcept { return listening_; }

    [[nodiscard]] base::boot_time asked_at() const noexcept { return asked_at_; }

private:
    void heard(std::string_view message) override;
    void listening(bool now) override;

    std::string service_;
    redis::server server_;
    handlers tell_;
    bool asking_ = false;
    bool listening_ = false;
    base::boot_time asked_at_{};
    redis::pipeline pipeline_;  // last, so that it is destroyed first: it calls us
};

}  // namespace pawl::store
