#include "redis/subscription.h"

#include "redis/pipeline.h"

#include <algorithm>

namespace pawl::redis {

void subscription::stop()
{
    if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
}

void subscription::connected(const server_facts& server)
{
    stop();
    pause_ = shortest_pause;
    if (server.resp3) way_.send(channel_command::subscribe, channel_);
}

// A request that comes before the end of the pause connects at once.
void subscription::disconnected(const failure& /*why*/)
{
    stop();
    timer_ = loop_.call_at(base::boot_clock::now() + pause_, [this] {
        timer_.reset();
        way_.connect();
    });
    pause_ = std::min(2 * pause_, longest_pause);
    if (std::exchange(listening_, false)) who_.listening(false);
}

void subscription::subscribed(std::string_view /*channel*/)
{
    listening_ = true;
    who_.listening(true);
}

}  // namespace pawl::redis
