// A lock at the server: taking it and giving it back, in the caller's thread.
#pragma once

#include "core/lease_table.h"
#include "sync/client_state.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <pawl/time_limit.h>

#include <functional>
#include <stop_token>
#include <variant>

namespace pawl::sync {

// Asks for it, and waits for it. The lease is in the keeper's hands then; or if not, nothing is left at
// the server, as soon as that can be reached. Throws std::system_error.
struct taking {
    time_limit limit = time_limit::now();
    std::stop_token stop{};
    unsigned reserve = 0;               // how many numbers to set aside above the fence
    std::function<void()> when_lost{};  // on the client's scheduler
};
[[nodiscard]] std::variant<core::lease_ptr, trouble> take_from_server(client_state& client,
                                                                      const lock_settings& settings,
                                                                      const taking& how);

// Ends the lease and gives the lock back.
[[nodiscard]] maybe_trouble give_to_server(client_state& client, const core::lease_ptr& lease);

}  // namespace pawl::sync
