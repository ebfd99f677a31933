// Access to the private state of a client, for other parts of the library and for the simulator.
#pragma once

#include "sync/client_state.h"
#include "sync/surroundings.h"

#include <pawl/client.h>

#include <memory>
#include <utility>

namespace pawl {

struct client_access {
    static sync::client_state& state(client& client) { return *client.state_; }

    static std::shared_ptr<sync::client_state> share(client& client) { return client.state_; }

    static client make(client_options options, sync::surroundings around)
    {
        return client{std::make_shared<client::state>(std::move(options), std::move(around))};
    }
};

}  // namespace pawl
