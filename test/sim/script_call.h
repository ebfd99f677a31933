// A request to the simulated server, parsed from its words.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace pawl::sim {

struct script_call {
    enum class kind { acquire, set_count, renew, check, keep, release };
    kind what{};
    bool in_full = false;
    std::span<const std::string_view> keys;
    std::span<const std::string_view> arguments;

    // The holder of the i-th lock.
    [[nodiscard]] std::string_view holder(std::size_t i = 0) const
    {
        return what == kind::renew ? arguments[2 * i] : arguments[0];
    }

    // These are for an acquire only.
    [[nodiscard]] bool joins() const;
    [[nodiscard]] bool is_fair() const;
    // From its place: until when the place is kept, by the server's clock, and the client to tell.
    [[nodiscard]] std::chrono::milliseconds kept_until() const;
    [[nodiscard]] std::string_view client() const;
};

[[nodiscard]] std::string_view name_of(script_call::kind what);

// Nothing if the request is not a call of one of pawl's scripts.
[[nodiscard]] std::optional<script_call> read_call(std::span<const std::string_view> words);

}  // namespace pawl::sim
