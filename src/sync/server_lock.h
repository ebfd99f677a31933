// A lock at the server: taking it and giving it back, in the caller's thread or on the client's
// scheduler.
#pragma once

#include "core/lease_table.h"
#include "sync/acquisition.h"
#include "sync/client_state.h"
#include "sync/lock_settings.h"
#include "sync/trouble.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace pawl::sync {

// Asks for it, and waits for it. Throws std::system_error.
[[nodiscard]] taken take_from_server(client_state& client, const settings_ptr& settings, taking how,
                                     const std::stop_token& stop);

// Ends the lease and gives the lock back.
[[nodiscard]] maybe_trouble give_to_server(client_state& client, const core::lease_ptr& lease);

// From any thread, without waiting: `done` is called on the scheduler, with what is known already.
using result_handler = std::function<void(const maybe_trouble&)>;
void tell_later(const std::shared_ptr<client_state>& client, maybe_trouble what,
                result_handler done);

// The same as above, from any thread, without waiting.
void give_to_server(const std::shared_ptr<client_state>& client, const core::lease_ptr& lease,
                    result_handler done);

// One question about a lease, from any thread, without waiting. `done` is called on the scheduler.
using answer_handler = std::function<void(any_answer)>;
void ask_about(const std::shared_ptr<client_state>& client, const core::lease_ptr& lease,
               core::request request, answer_handler done);

template <class Request, class Done>
void ask_server(const std::shared_ptr<client_state>& client, const core::lease_ptr& lease,
                const Request& request, Done done)
{
    ask_about(client, lease, request, [done = std::move(done)](any_answer got) {
        done(answer_to<Request>{std::move(got)});
    });
}

}  // namespace pawl::sync
