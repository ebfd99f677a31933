#include "store/memory/subscriptions.h"

#include "store/memory/glob.h"
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

void subscriptions::add_pattern(session who, std::string_view pattern)
{
    std::pair added{std::string{pattern}, who};
    if (std::ranges::find(patterns_, added) == patterns_.end()) {
        patterns_.push_back(std::move(added));
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
    std::erase_if(patterns_, [who](const auto& each) { return each.second == who; });
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
    const auto patterns =
        std::ranges::count(patterns_, who, &std::pair<std::string, session>::second);
    return channels_of(who).size() + static_cast<std::size_t>(patterns);
}

std::size_t subscriptions::listeners(std::string_view channel) const
{
    const auto found = channels_.find(channel);
    return elsewhere_ || found == channels_.end() ? 0 : found->second.size();
}

std::size_t subscriptions::publish(std::string_view channel, std::string_view message)
{
    std::size_t reached = listeners(channel);
    if (const auto found = channels_.find(channel); found != channels_.end() && deliver_) {
        write_push({"message", channel, message});
        for (const session who : found->second) deliver_(who, buffer_);
    }
    for (const auto& [pattern, who] : patterns_) {
        if (!matches(pattern, channel)) continue;
        if (deliver_) {
            write_push({"pmessage", pattern, channel, message});
            deliver_(who, buffer_);
        }
        ++reached;
    }
    return reached;
}

void subscriptions::write_push(std::initializer_list<std::string_view> words)
{
    buffer_.clear();
    resp3_reply out{buffer_};
    out.push(words.size());
    for (const auto word : words) out.bulk(word);
}

}  // namespace pawl::store::memory
