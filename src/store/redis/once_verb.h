// When the next run of a once_per is due, as a call of a script: how it is written, and what the replies mean.
#pragma once

#include "core/request.h"
#include "redis/resp.h"
#include "store/redis/script_call.h"

#include <string>

namespace pawl::store {

void append(std::string& out, const core::due_request& what, const script_style& how);

[[nodiscard]] core::due_reply read(const core::due_request& what, const redis::reply_view& reply);

}  // namespace pawl::store
