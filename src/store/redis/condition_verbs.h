// Requests about a condition, as calls of scripts: how they are written. hold_verbs.h reads
// their replies.
#pragma once

#include "core/request.h"
#include "store/redis/hold_verbs.h"
#include "store/redis/script_call.h"

#include <string>

namespace pawl::store {

// `now` is for the announcement.
void append(std::string& out, const core::wait_request& what, const script_style& how,
            wall_time now);
void append(std::string& out, const core::look_request& what, const script_style& how);
void append(std::string& out, const core::notify_request& what, const script_style& how);

// A waiter leaves the condition: the release of an object that has a condition.
void append_leave(std::string& out, const core::release_request& what, const script_style& how,
                  wall_time now);

}  // namespace pawl::store
