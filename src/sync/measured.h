// Which locks are counted one by one: those of client_options::measured_locks.
#pragma once

#include "core/object.h"
#include "observe/client_counters.h"

namespace pawl::sync {

// Null if the lock is not one of them. The name of a set is for messages only, and names no lock.
[[nodiscard]] inline observe::lock_counters* measured(const observe::client_counters& all,
                                                      const core::object& lock) noexcept
{
    return lock.kind == core::object_kind::many ? nullptr : all.of(lock.name);
}

}  // namespace pawl::sync
