// Requests about a leader, besides those that every lock has: how they are written, and what the replies mean.
#pragma once

#include "core/request.h"
#include "redis/resp.h"
#include "store/redis/hold_verbs.h"
#include "store/redis/script_call.h"

#include <string>

namespace pawl::store {

void append(std::string& out, const core::yield_request& what, const script_style& how,
            wall_time now);
void append(std::string& out, const core::read_request& what, const script_style& how);

[[nodiscard]] core::yield_reply read(const core::yield_request& what,
                                     const redis::reply_view& reply);
[[nodiscard]] core::read_reply read(const core::read_request& what, const redis::reply_view& reply);

}  // namespace pawl::store
