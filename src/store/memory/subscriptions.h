// The channels and their subscribers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::store::memory {

// The number of a connected client. 0 is no client.
using session = std::uint64_t;

class subscriptions {
public:
    // Gets a push message in RESP3. Must not call the engine.
    using delivery = std::function<void(session, std::string_view)>;

    void on_push(delivery deliver) { deliver_ = std::move(deliver); }

    void add(session who, std::string_view channel);
    void add_pattern(session who, std::string_view pattern);
    void remove(session who, std::string_view channel);
    void remove(session who);
    void clear() noexcept
    {
        channels_.clear();
        patterns_.clear();
    }

    [[nodiscard]] std::vector<std::string> channels_of(session who) const;  // sorted by name
    [[nodiscard]] std::size_t count(session who) const;                     // channels and patterns

    // The number of subscribers to the channel itself, not to a pattern.
    [[nodiscard]] std::size_t listeners(std::string_view channel) const;

    // While they listen elsewhere, subscribers to channels get each message, but are not counted.
    void listen_elsewhere(bool now) noexcept { elsewhere_ = now; }

    // Delivers the message to the subscribers of the channel, in the order in which they
    // subscribed, and then to those of matching patterns. Returns how many were counted.
    std::size_t publish(std::string_view channel, std::string_view message);

private:
    void write_push(std::initializer_list<std::string_view> words);

    std::map<std::string, std::vector<session>, std::less<>> channels_;
    std::vector<std::pair<std::string, session>> patterns_;
    bool elsewhere_ = false;
    delivery deliver_;
    std::string buffer_;
};

}  // namespace pawl::store::memory
