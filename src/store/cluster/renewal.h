// A batch of renewals on the client's event loop: split by node, and joined again. What a node redirects is asked at
// the other one. What fails otherwise is the caller's to repeat: it must not delay the others.
#pragma once

#include "core/request.h"
#include "store/cluster/itinerary.h"
#include "store/cluster/journey.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace pawl::store {

class renewal : public std::enable_shared_from_this<renewal> {
public:
    renewal(const journey::surroundings& around, core::renew_request what,
            std::chrono::milliseconds patience, store::still_wanted wanted,
            store::reply_handler done);

    void go();

private:
    using indexes = std::vector<std::size_t>;  // of leases

    void ask(const node_address& where, const indexes& which);
    void ask_there(const node_address& where, std::size_t which);
    void on_part(const node_address& from, const indexes& which,
                 const core::renew_request::reply& got);
    void end_part();

    journey::surroundings around_;
    core::renew_request what_;
    std::chrono::milliseconds patience_;
    store::still_wanted wanted_;
    store::reply_handler done_;
    core::renew_request::reply got_;
    indexes open_;                 // leases without a final answer
    indexes again_;                // those of them that were redirected
    std::size_t outstanding_ = 0;  // parts without an answer
    unsigned rounds_ = 0;
};

}  // namespace pawl::store
