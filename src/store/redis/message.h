// The messages that the scripts publish to a client's channel.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::store {

// The string views point into the text of the message.
struct message {
    enum class kind { grant, wanted, broken };
    kind what{};
    std::string_view lock;
    std::string_view holder;           // not of `wanted`
    std::string reason;                // only of `broken`: what the operator says, without controls
    std::uint64_t fence{};             // this and the following: only of a grant
    std::chrono::milliseconds time{};  // by the server's clock, since the epoch
};

// Nothing if the text is not a valid message.
[[nodiscard]] std::optional<message> read_message(std::string_view text);

[[nodiscard]] std::string channel_of(std::string_view client);

// The sharded channel of a client for locks with this tag, which is in braces.
[[nodiscard]] std::string channel_of(std::string_view client, std::string_view tag);

}  // namespace pawl::store
