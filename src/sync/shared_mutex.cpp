#include <pawl/async.h>
#include <pawl/error.h>
#include <pawl/shared_mutex.h>

#include "core/object.h"
#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/lock_state.h"
#include "sync/trouble.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace pawl {
namespace {

sync::settings_ptr settings_for(core::entry_mode mode, std::string_view name,
                                const lock_options& options, sync::fairness fairness)
{
    return sync::settle(
        {.name = std::string{name}, .kind = core::object_kind::shared, .mode = mode}, options,
        fairness);
}

sync::fairness fairness_of(reader_policy readers)
{
    return readers == reader_policy::in_order ? sync::fairness::fair : sync::fairness::unfair;
}

}  // namespace

shared_mutex::readers_side::readers_side(std::unique_ptr<state> made) noexcept
    : lockable{std::move(made)}
{
}

shared_mutex::readers_side::~readers_side() = default;

shared_mutex::shared_mutex(client& client, std::string_view name, const lock_options& options,
                           reader_policy readers)
    : lockable{std::make_unique<state>(
          client_access::share(client),
          settings_for(core::entry_mode::writer, name, options, sync::fairness::fair))},
      shared_{std::make_unique<state>(
          client_access::share(client),
          settings_for(core::entry_mode::reader, name, options, fairness_of(readers)))}
{
    auto& writers = async_access::state(*this);
    auto& its_readers = async_access::state(shared_);
    writers.set_other_side(its_readers);
    its_readers.set_other_side(writers);
}

shared_mutex::~shared_mutex() = default;

// If it fails, the caller keeps its hold. So it is emptied only after a success, and not moved from.
// NOLINTNEXTLINE(cppcoreguidelines-rvalue-reference-param-not-moved)
hold shared_mutex::downgrade(hold&& writer)
{
    auto& readers = async_access::state(shared_);
    auto got = readers.enter_instead_of(writer);
    if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
        readers.raise("downgrade", *failed);
    }
    return async_access::make(std::get<sync::grant_ptr>(std::move(got)));
}

hold shared_mutex::downgrade(hold&& writer, std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return downgrade(std::move(writer)); });
}

std::optional<hold> shared_mutex::try_upgrade(hold& reader)
{
    auto& writers = async_access::state(*this);
    auto got = writers.enter_instead_of(reader);
    if (const auto* const failed = std::get_if<sync::trouble>(&got)) {
        if (failed->code == errc::busy) return std::nullopt;
        writers.raise("upgrade", *failed);
    }
    return async_access::make(std::get<sync::grant_ptr>(std::move(got)));
}

std::optional<hold> shared_mutex::try_upgrade(hold& reader, std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] {
        auto got = try_upgrade(reader);
        if (!got) ec = errc::busy;
        return got;
    });
}

void async::downgrade(shared_mutex& lock, hold& writer, std::unique_ptr<acquire_completion> told)
{
    async_access::state(lock.shared()).enter_instead_of(writer, "downgrade", std::move(told));
}

void async::try_upgrade(shared_mutex& lock, hold& reader, std::unique_ptr<acquire_completion> told)
{
    async_access::state(lock).enter_instead_of(reader, "upgrade", std::move(told));
}

}  // namespace pawl
