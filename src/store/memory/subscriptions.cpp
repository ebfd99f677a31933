#include "store/memory/subscriptions.h"

#include "store/memory/reply.h"

#include <algorithm>

namespace pawl::store::memory {

void subscriptions::add(session who, std::string_view channel)
{
    auto found = channels_.find(channel);
    if (found == channels_.end()) found = channels_.try_emplace(std::string{channel}).first;
    auto& listeners = found->second;
    if (std::ranges::find(listeners, who) == listeners.end()) {
        listeners.push_back(who);
    }
}

void subscriptions::remove(session who, std::string_view channel)
{
    const auto found = channels_.find(channel);
    if (found == channels_.end()) return;
    std::erase(found->second, who);
    if (found->second.empty()) channels_.erase(found);
}

void subscriptions::remove(session who)
{
    for (auto& each : channels_) std::erase(each.second, who);
    std::erase_if(channels_, [](const auto& each) { return each.second.empty(); });
}

std::vector<std::string> subscriptions::channels_of(session who) const
{
    std::vector<std::string> names;
    for (const auto& [name, listeners] : channels_) {
        if (std::ranges::find(listeners, who) != listeners.end()) {
            names.push_back(name);
        }
    }
    return names;
}

std::size_t subscriptions::count(session who) const
{
    return channels_of(who).size();
}

std::size_t subscriptions::listeners(std::string_view channel) const
{
    const auto found = channels_.find(channel);
    return found == channels_.end() ? 0 : found->second.size();
}

std::size_t subscriptions::publish(std::string_view channel, std::string_view message)
{
    const auto found = channels_.find(channel);
    if (found == channels_.end()) return 0;
    if (deliver_) {
        buffer_.clear();
        resp3_reply out{buffer_};
        out.push(3);
        out.bulk("message");
        out.bulk(channel);
        out.bulk(message);
        for (const session who : found->second) deliver_(who, buffer_);
    }
    return found->second.size();
}

}  // namespace pawl::store::memory
