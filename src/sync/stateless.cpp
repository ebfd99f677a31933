#include <pawl/error.h>
#include <pawl/stateless.h>

#include "core/acquire.h"
#include "core/object.h"
#include "core/request.h"
#include "sync/client_access.h"
#include "sync/client_state.h"
#include "sync/grant.h"
#include "sync/message.h"
#include "sync/trouble.h"
#include "sync/validate.h"

#include <system_error>
#include <variant>

namespace pawl {

namespace {

using sync::trouble;

template <class Value>
using value_or_trouble = std::variant<Value, trouble>;

core::object checked_lock(const sync::client_state& client, std::string_view name,
                          std::string_view holder)
{
    // The holder id may be used in several processes, whose votes could not be told apart.
    if (client.is_quorum()) sync::refuse_on_quorum("stateless lock");
    core::check_name("lock name", name);
    core::check_name("holder", holder);
    return {
        .name = std::string{name}, .kind = core::object_kind::exclusive, .layout = layout::plain};
}

core::release_request release_of(const core::claim& mine)
{
    return {.mine = mine, .announce = true};
}

value_or_trouble<std::uint64_t> lock(sync::client_state& client, std::string_view name,
                                     std::string_view holder, std::chrono::milliseconds lease)
{
    const auto object = checked_lock(client, name, holder);
    sync::validate_lease("lease", lease);
    if (client.inherited()) return trouble{errc::wrong_process, {}};
    core::acquire_machine machine{{.mine = {&object, holder},
                                   .lease = lease,
                                   .poll_interval = {},
                                   .command_limit = client.options().command_limit,
                                   .drift = client.options().clock_drift,
                                   .limit = time_limit::now(),
                                   .own_holder = false},
                                  client.random()};
    try {
        client.driver().run(machine, nullptr);
    } catch (const std::system_error& e) {
        // No descriptors are left, for example. That may pass, like a broken connection.
        return trouble{errc::unreachable, e.what()};
    }
    const auto& got = machine.result();
    // Nobody else can have locked it for this holder: the server said that it granted it now.
    if (got.unacknowledged) static_cast<void>(client.ask(release_of(core::claim{&object, holder})));
    // A try without an answer may have locked the lock at the server. It is not unlocked here: the same
    // holder may have locked the lock before, and would lose it.
    if (got.failure) return trouble{*got.failure, got.detail};
    return got.fence;
}

core::check_request check_of(const core::claim& mine)
{
    return {.mine = mine};
}

// Sends the request that `make` makes from the claim. Returns whether the lock was released (for a release),
// or whether the holder has it (for a check).
template <class Make>
value_or_trouble<bool> ask(Make make, sync::client_state& client, std::string_view name,
                           std::string_view holder)
{
    const auto object = checked_lock(client, name, holder);
    if (client.inherited()) return trouble{errc::wrong_process, {}};
    const auto got = client.ask(make(core::claim{&object, holder})).what;
    if (const auto* failed = std::get_if<core::failure>(&got)) return sync::trouble_of(*failed);
    switch (*std::get_if<core::hold_status>(&got)) {
    case core::hold_status::done: return true;
    case core::hold_status::not_a_lock: return trouble{errc::not_a_lock, {}};
    case core::hold_status::vanished:
    case core::hold_status::taken: break;
    }
    return false;
}

template <class Make>
bool ask(Make make, client& client, std::string_view name, std::string_view holder,
         std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] {
        const auto got = ask(make, client_access::state(client), name, holder);
        if (const auto* failed = std::get_if<trouble>(&got)) ec = failed->code;
        const auto* yes = std::get_if<bool>(&got);
        return yes != nullptr && *yes;
    });
}

[[noreturn]] void raise(const sync::client_state& client, std::string_view action,
                        std::string_view name, const trouble& what)
{
    throw error{what.code, sync::describe(action, name, client.server(), what.code, what.detail)};
}

}  // namespace

namespace stateless {

std::optional<std::uint64_t> try_lock(client& client, std::string_view name,
                                      std::string_view holder, std::chrono::milliseconds lease)
{
    auto& state = client_access::state(client);
    const auto got = lock(state, name, holder, lease);
    if (const auto* failed = std::get_if<trouble>(&got)) {
        if (failed->code == errc::busy) return std::nullopt;
        raise(state, "try_lock", name, *failed);
    }
    return std::get<std::uint64_t>(got);
}

std::optional<std::uint64_t> try_lock(client& client, std::string_view name,
                                      std::string_view holder, std::chrono::milliseconds lease,
                                      std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&]() -> std::optional<std::uint64_t> {
        const auto got = lock(client_access::state(client), name, holder, lease);
        if (const auto* fence = std::get_if<std::uint64_t>(&got)) return *fence;
        ec = std::get<trouble>(got).code;
        return std::nullopt;
    });
}

bool unlock(client& client, std::string_view name, std::string_view holder)
{
    auto& state = client_access::state(client);
    const auto got = ask(release_of, state, name, holder);
    if (const auto* failed = std::get_if<trouble>(&got)) raise(state, "unlock", name, *failed);
    return std::get<bool>(got);
}

bool unlock(client& client, std::string_view name, std::string_view holder,
            std::error_code& ec) noexcept
{
    return ask(release_of, client, name, holder, ec);
}

bool holds(client& client, std::string_view name, std::string_view holder)
{
    auto& state = client_access::state(client);
    const auto got = ask(check_of, state, name, holder);
    if (const auto* failed = std::get_if<trouble>(&got)) raise(state, "holds", name, *failed);
    return std::get<bool>(got);
}

bool holds(client& client, std::string_view name, std::string_view holder,
           std::error_code& ec) noexcept
{
    return ask(check_of, client, name, holder, ec);
}

}  // namespace stateless
}  // namespace pawl
