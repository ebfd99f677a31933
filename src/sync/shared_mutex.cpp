#include <pawl/shared_mutex.h>

#include "core/object.h"
#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/lock_state.h"

#include <memory>
#include <string>
#include <utility>

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

}  // namespace pawl
