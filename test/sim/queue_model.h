// A model of one lock's queue, which is compared with the server's: the order of arrival, and which
// waiters may be skipped.
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
    // The server answered that the lock is busy. It gave this waiter a place, or renewed it.
    void joined(std::string_view holder, std::string_view client, std::chrono::milliseconds until);

    // The server's clock shows `now`. If no place is kept any longer, all are forgotten.
    void look_at_clock(std::chrono::milliseconds now);

    // This waiter no longer waits, or has the lock.
    void left(std::string_view holder);

    // The server lost the queue, or a part of it.
    void clear() { waiting_.clear(); }

    // The lock is handed over to `to`, or to no waiter, when the server's clock shows `now`. All
    // waiters before `to` must be unreachable. Returns a waiter that was passed over without a reason.
    [[nodiscard]] std::optional<std::string> passes(std::optional<std::string_view> to,
                                                    std::chrono::milliseconds now, server& where);

    // The first waiter that can be reached.
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
    std::chrono::milliseconds expires_{};  // when the server forgets the whole queue
};

}  // namespace pawl::sim
