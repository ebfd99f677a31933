// The public message that a lock was released: docs/wire.md.
#pragma once

#include "core/request.h"

#include <chrono>
#include <string>
#include <string_view>

namespace pawl::store {

// The client writes the announcement, because writing it in the script would cost more than the rest of
// the release. So its time is the time of the client's machine.
[[nodiscard]] std::string announcement(std::string_view lock, std::string_view holder,
                                       std::chrono::system_clock::time_point now);

// As an argument of a script: empty if the release is not announced.
void append_announcement(std::string& out, const core::claim& mine, bool announce,
                         std::chrono::system_clock::time_point now);

}  // namespace pawl::store
