// The way of one request through a Cluster: what follows from the failure of a try. Without I/O.
//
//   the failure                                 then
//   MOVED                                       the table is changed, and the new owner is asked; after five in a row,
//                                               after a pause
//   ASK, a request about one key                the node that gets the slot is asked once
//   ASK, a request about several keys           a pause: they may be at two nodes until the slot has moved
//   TRYAGAIN, CLUSTERDOWN, LOADING              a pause
//   the node is a replica, or no connection     a pause; the table is loaded again meanwhile
//   any other, or it may have been executed     the caller gets it: it repeats the request as a repeated one
#pragma once

#include "core/failure.h"
#include "redis/failure.h"
#include "store/cluster/slot_table.h"

#include <chrono>
#include <optional>

namespace pawl::store {

class itinerary {
public:
    struct next {
        enum class kind {
            finish,  // the caller gets the failure
            again,   // ask the owner, at once
            ask,     // ask the node `where`, with ASKING
            pause,   // ask the owner, after pause()
        };
        kind what = kind::finish;
        bool reload = false;                        // load the table again, in the background
        std::optional<redis::redirection> moved{};  // change the table
        node_address where{};
    };

    // `one_key`: the request has only one key, so it can be executed while its slot is moved.
    explicit itinerary(bool one_key) noexcept : one_key_{one_key} {}

    [[nodiscard]] next on_failure(const core::failure& why, const node_address& asked);

    // The failure of a try with ASKING.
    [[nodiscard]] next on_failed_ask(const core::failure& why) const;

    // The next pause. They grow.
    [[nodiscard]] std::chrono::milliseconds pause() noexcept;

private:
    [[nodiscard]] next on_redirection(const redis::redirection& to, bool is_ask);

    static constexpr unsigned most_redirections = 5;
    static constexpr std::chrono::milliseconds shortest_pause{10};
    static constexpr std::chrono::milliseconds longest_pause{50};

    bool one_key_;
    unsigned redirections_ = 0;
    std::chrono::milliseconds pause_ = shortest_pause;
};

}  // namespace pawl::store
