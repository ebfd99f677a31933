// What everyone who listens is told of a release: docs/wire.md.
#pragma once

#include "core/request.h"

#include <chrono>
#include <string>

namespace pawl::store {

// The client writes it, because a script would pay more for the text than for the release. So the time is
// that of the client's machine.
[[nodiscard]] std::string announcement(const core::claim& released,
                                       std::chrono::system_clock::time_point now);

}  // namespace pawl::store
