// The queue of one lock as it must be, kept beside the server's: who arrived when, and who may be skipped.
#pragma once

#include "sim/server.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class queue_model {
public:
    // The server answered that someone else has the lock, and gave this one a place, or kept it.
    void joined(std::string_view holder, std::string_view client, std::chrono::milliseconds until);

    // It is this time at the server: if nobody's place is kept any more, all are forgotten.
    void look_at_clock(std::chrono::milliseconds now);

    // He waits no more, or has it.
    void left(std::string_view holder);

    // The server forgot them, or some of them.
    void clear() { waiting_.clear(); }

    // The lock passes to the next, at this time of the server's: `to`, or nobody. Whoever stood before
    // him must have been out of reach. Returns who was passed over without a reason.
    [[nodiscard]] std::optional<std::string> passes(std::optional<std::string_view> to,
                                                    std::chrono::milliseconds now, server& where);

    // Who is the first that can be reached.
    [[nodiscard]] std::optional<std::string> first(std::chrono::milliseconds now,
                                                   server& where) const;

    [[nodiscard]] bool opens_with(std::string_view holder) const
    {
        return !waiting_.empty() && waiting_.front().holder == holder;
    }

private:
    struct place {
        std::string holder;
        std::string channel;
        std::chrono::milliseconds until;
    };
    [[nodiscard]] static bool can_be_reached(const place& who, std::chrono::milliseconds now,
                                             server& where);

    std::vector<place> waiting_;           // in the order of arrival
    std::chrono::milliseconds expires_{};  // when the server forgets them all
};

}  // namespace pawl::sim
