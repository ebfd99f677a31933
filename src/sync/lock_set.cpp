#include <pawl/lock_set.h>

#include "core/object.h"
#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/lock_state.h"
#include "sync/trouble.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace pawl {
namespace {

// In ascending order, so that sets with the same locks look for them in the same order.
core::object object_of(std::vector<std::string> names)
{
    std::ranges::sort(names);
    const auto again = std::ranges::unique(names);
    names.erase(again.begin(), again.end());
    core::object made{.name = {}, .kind = core::object_kind::many};
    for (const auto& each : names) {
        if (!made.name.empty()) made.name += ", ";
        made.name += each;
    }
    made.parts = std::move(names);
    return made;
}

}  // namespace

lock_set::lock_set(client& client, std::vector<std::string> names, const lock_options& options)
    : lockable{std::make_unique<state>(
          client_access::share(client),
          sync::settle(object_of(std::move(names)), options, sync::fairness::unfair))}
{
}

lock_set::~lock_set() = default;

std::span<const std::string> lock_set::names() const noexcept
{
    return async_access::state(*this).settings()->what.parts;
}

hold acquire_all(client& client, std::vector<std::string> names, const lock_options& options,
                 const std::stop_token& stop)
{
    return lock_set{client, std::move(names), options}.acquire(stop);
}

hold acquire_all(client& client, std::vector<std::string> names, const lock_options& options,
                 std::error_code& ec) noexcept
{
    return acquire_all(client, std::move(names), options, {}, ec);
}

hold acquire_all(client& client, std::vector<std::string> names, const lock_options& options,
                 const std::stop_token& stop, std::error_code& ec) noexcept
{
    return sync::with_code(
        ec, [&] { return lock_set{client, std::move(names), options}.acquire(stop, ec); });
}

std::optional<hold> try_acquire_all(client& client, std::vector<std::string> names,
                                    const lock_options& options)
{
    return lock_set{client, std::move(names), options}.try_acquire();
}

std::optional<hold> try_acquire_all(client& client, std::vector<std::string> names,
                                    const lock_options& options, std::error_code& ec) noexcept
{
    return sync::with_code(
        ec, [&] { return lock_set{client, std::move(names), options}.try_acquire(ec); });
}

}  // namespace pawl
