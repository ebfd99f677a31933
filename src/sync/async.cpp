#include <pawl/async.h>
#include <pawl/error.h>

#include "sync/async_access.h"
#include "sync/message.h"

#include <string>
#include <string_view>
#include <utility>

namespace pawl::async {
namespace {

void refuse_child(const sync::client_state& client, std::string_view action, std::string_view name)
{
    if (!client.inherited()) return;
    throw error{errc::wrong_process,
                sync::describe(action, name, client.server(), errc::wrong_process, {})};
}

// Returns `held`, the grant of a hold. Throws if the hold is empty, or in a child process after fork().
sync::grant_ptr checked(sync::grant_ptr held, std::string_view action)
{
    if (!held) throw error{errc::not_owner, std::string{action} + ": nothing is held"};
    refuse_child(held->client(), action, held->lease().what->name);
    return held;
}

sync::grant::result_handler telling(const sync::grant_ptr& held, std::string_view action,
                                    std::unique_ptr<completion> told)
{
    // `told` is in a shared_ptr because a std::function must be copyable.
    return
        [held = held.get(), keep = held, action,
         told = std::shared_ptr<completion>{std::move(told)}](const sync::maybe_trouble& failed) {
            std::string message;
            std::error_code ec;
            if (failed) {
                ec = failed->code;
                message = sync::describe(action, held->lease().what->name, held->client().server(),
                                         failed->code, failed->detail);
            }
            if (told) {
                told->done(ec, message);
            } else if (failed) {
                held->client().warn(std::move(message));
            }
        };
}

}  // namespace

void acquire(acquirable& lock, time_limit limit, std::unique_ptr<acquire_completion> told,
             std::stop_token stop)
{
    auto& state = async_access::state(lock);
    refuse_child(state.client(), "acquire", lock.name());
    state.acquire(limit, std::move(told), std::move(stop));
}

void release(hold what, std::unique_ptr<completion> told)
{
    const auto held = checked(async_access::take(what), "release");
    held->leave(telling(held, "release", std::move(told)));
}

void extend(hold& what, std::chrono::milliseconds lease, std::unique_ptr<completion> told)
{
    const auto held = checked(async_access::look_at(what), "extend");
    held->extend(lease, telling(held, "extend", std::move(told)));
}

}  // namespace pawl::async
