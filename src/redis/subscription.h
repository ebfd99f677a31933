// One channel, subscribed on a connection that is made at once and again after every break:
//
//   the server                  answers SUBSCRIBE with           then
//   speaks RESP3                a message, not a reply           sends messages until the break
//   does so but refuses it      an error, a reply like others    serves requests, sends no messages
//   speaks RESP2                is not asked                     the same
#pragma once

#include "base/event_loop.h"
#include "redis/transport.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pawl::redis {

class pipeline;

class subscription final : public channel_listener {
public:
    // All must outlive it.
    subscription(base::event_loop& loop, pipeline& way, std::string channel, listener& who)
        : loop_{loop}, way_{way}, channel_{std::move(channel)}, who_{who}
    {
    }

    // It does not connect any more.
    void stop();

    void connected(const server_facts& server) override;
    void disconnected(const failure& why) override;
    void subscribed(std::string_view channel) override;
    void refused(std::string_view /*channel*/, const failure& /*why*/) override {}
    void unsubscribed(std::string_view /*channel*/) override {}
    void heard(std::string_view message) override { who_.heard(message); }

private:
    // The pause between the end of a connection and the next attempt. It is doubled after each
    // failure.
    static constexpr std::chrono::milliseconds shortest_pause{50};
    static constexpr std::chrono::milliseconds longest_pause{1'000};

    base::event_loop& loop_;
    pipeline& way_;
    std::string channel_;
    listener& who_;
    bool listening_ = false;  // SUBSCRIBE was confirmed on this connection
    std::chrono::milliseconds pause_ = shortest_pause;
    std::optional<base::event_loop::timer> timer_;  // at the end of the pause
};

}  // namespace pawl::redis
