// What the scripts publish to a client's channel.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::store {

// The texts are those of the message.
struct message {
    enum class kind { grant, wanted };
    kind what{};
    std::string_view lock;
    std::string_view holder;  // these: grant
    std::uint64_t fence{};
    std::chrono::milliseconds time{};  // of the server, since the epoch
};

// Nothing if it makes no sense.
[[nodiscard]] std::optional<message> read_message(std::string_view text);

[[nodiscard]] std::string channel_of(std::string_view client);

}  // namespace pawl::store
