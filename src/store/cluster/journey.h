// One request on the client's event loop, from node to node until it is answered. It is given up when its patience is
// over, or when nobody wants it any more. Not for renewals: store/cluster/renewal.h.
#pragma once

#include "base/clock.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "core/request.h"
#include "store/cluster/nodes.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace pawl::store {

class journey : public std::enable_shared_from_this<journey> {
public:
    // All must outlive it.
    struct surroundings {
        const base::platform& platform;
        base::scheduler& loop;
        cluster_nodes& nodes;
    };
    struct call {
        core::request what;
        std::uint16_t slot{};
        std::chrono::milliseconds patience{};
        store::still_wanted wanted;
        store::reply_handler done;
    };
    journey(const surroundings& around, call what);

    // Asks the owner of the slot.
    void go();

private:
    void without_owner();
    void listen_first(cluster_node& at, const hearing_need& need, std::optional<core::reply> got);
    void ask_without_place(cluster_node& at, const hearing_need& need);
    void ask(cluster_node& at, const core::request& what);
    void ask_for_place(cluster_node& at, bool again);
    void submit(cluster_node& at, const core::request& what, store::reply_handler done) const;
    void on_reply(const cluster_node& from, core::reply got);
    void on_failed(core::reply got, const itinerary::next& next);
    void ask_there(const node_address& where, const core::reply& got);
    void pause(core::reply got);

    surroundings around_;
    call call_;
    base::boot_time until_;
    itinerary way_;
};

// An acquire that does not join the queue.
[[nodiscard]] core::request without_place(const core::acquire_request& what);

// The lock is busy, and the waiter has no place.
[[nodiscard]] bool is_without_place(const core::reply& got);
[[nodiscard]] bool is_busy(const core::reply& got);

}  // namespace pawl::store
