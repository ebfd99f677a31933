// Over the network or a Unix socket: a pool for blocking calls, a pipeline for the others, and a second one for
// those that make the server wait.
#pragma once

#include "base/event_loop.h"
#include "redis/local_starter.h"
#include "redis/pipeline.h"
#include "redis/pool.h"
#include "redis/server.h"
#include "redis/transport.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

namespace pawl::redis {

class socket_transport final : public transport {
public:
    // `loop` must outlive the transport. Stop the loop before the transport is destroyed. Throws
    // pawl::error (bad_argument).
    socket_transport(base::event_loop& loop, server_config config, std::size_t pool_size,
                     limits within);

    std::optional<failure> call(const writer& request, const waiting& how,
                                const std::function<void(const reply_view&)>& read) override;
    void submit(writer request, std::chrono::milliseconds patience, reader done) override;
    void submit_apart(writer request, std::chrono::milliseconds patience, reader done) override;
    [[nodiscard]] std::optional<failure> prepare() override;
    [[nodiscard]] bool start_server(const start_handler& done) override;
    void connect() override { pipeline_.connect(); }
    void listen(std::string channel, listener& who) override;

    // On the loop's thread only, and not from a handler of this transport: closes the idle
    // connections and, for good, the shared ones. Calls under way in other threads keep theirs.
    void end(failure why);
    void watch_channels(channel_listener& who) override { pipeline_.watch_channels(who); }
    void send_channel_command(channel_command what, const std::string& channel) override
    {
        pipeline_.send(what, channel);
    }
    void hang_up() override;
    [[nodiscard]] const std::string& shown() const noexcept override { return server_.shown(); }

private:
    base::event_loop* loop_;
    server server_;
    std::chrono::milliseconds connect_limit_;
    std::atomic<bool> prepared_{false};
    local_starter starter_;
    pool pool_;
    pipeline pipeline_;
    pipeline apart_;  // connects at the first request that waits for replicas
};

}  // namespace pawl::redis
