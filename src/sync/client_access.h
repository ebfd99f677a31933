// What stands behind a client, for those outside of it that must know.
#pragma once

#include "sync/client_state.h"

#include <pawl/client.h>

#include <memory>
#include <utility>

namespace pawl {

struct client_access {
    static sync::client_state& state(client& client) { return *client.state_; }

    static client make(std::shared_ptr<sync::client_state> state)
    {
        return client{std::move(state)};
    }
};

}  // namespace pawl
