// A request that a machine of the quorum wants to be sent to one node.
#pragma once

#include "core/vote.h"

namespace pawl::core::quorum {

struct outgoing {
    unsigned node{};
    node_request what{};
};

}  // namespace pawl::core::quorum
