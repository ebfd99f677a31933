// The types of locks that one holder at a time can have.
#include <pawl/fair_mutex.h>
#include <pawl/mutex.h>
#include <pawl/recursive_mutex.h>

#include "core/object.h"
#include "sync/client_access.h"
#include "sync/lock_state.h"

#include <memory>
#include <string>

namespace pawl {

mutex::mutex(client& client, std::string_view name, const lock_options& options)
    : lockable{std::make_unique<state>(
          client_access::share(client),
          sync::settle({.name = std::string{name}, .kind = core::object_kind::exclusive}, options,
                       sync::fairness::unfair))}
{
}

mutex::~mutex() = default;

fair_mutex::fair_mutex(client& client, std::string_view name, const lock_options& options)
    : lockable{std::make_unique<state>(
          client_access::share(client),
          sync::settle({.name = std::string{name}, .kind = core::object_kind::exclusive}, options,
                       sync::fairness::fair))}
{
}

fair_mutex::~fair_mutex() = default;

recursive_mutex::recursive_mutex(client& client, std::string_view name, const lock_options& options)
    : lockable{std::make_unique<state>(
          client_access::share(client),
          sync::settle({.name = std::string{name}, .kind = core::object_kind::counted}, options,
                       sync::fairness::unfair))}
{
}

recursive_mutex::~recursive_mutex() = default;

}  // namespace pawl
