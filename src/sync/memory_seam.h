// The interface between libpawl and libpawl-testing, the library behind <pawl/testing.h>. Not for users.
//
// libpawl itself has no memory server. libpawl-testing gives it a function that opens one, and asks it which
// server a client uses. Both libraries share the classes of src/, so they must have the same version. To
// ensure this, cmake/pawl.map.in puts the functions below into a version node that contains the version.
// See docs/decisions/0012.
#pragma once

#include "base/platform.h"
#include "base/scheduler.h"
#include "observe/dispatcher.h"
#include "redis/transport.h"

#include <pawl/client.h>
#include <pawl/export.h>

#include <memory>
#include <string_view>

namespace pawl::sync {

// One client's connection to a memory server: the parts that are different for a client of a real server.
class memory_seat {
public:
    memory_seat() = default;
    virtual ~memory_seat() = default;
    memory_seat(const memory_seat&) = delete;
    memory_seat& operator=(const memory_seat&) = delete;

    // A platform with the server's clock. This and the objects below may outlive the seat.
    [[nodiscard]] virtual std::shared_ptr<base::platform> platform() = 0;

    // A dispatcher that runs the user's handlers on `thread`. The server's clock waits for them.
    [[nodiscard]] virtual std::unique_ptr<observe::dispatcher> dispatcher(
        std::unique_ptr<observe::dispatcher> thread) = 0;

    // `loop` uses the clock of platform(), and must outlive the transport.
    [[nodiscard]] virtual std::unique_ptr<redis::transport> transport(
        base::clocked_scheduler& loop, redis::transport::limits within) = 0;
};

// Opens memory:NAME. `machine` is the real platform.
using memory_opener = std::unique_ptr<memory_seat> (*)(std::string_view name,
                                                       std::unique_ptr<base::platform> machine);

// Throws pawl::error (bad_argument) unless provide_memory() was called before.
[[nodiscard]] std::unique_ptr<memory_seat> open_memory(std::string_view name);

}  // namespace pawl::sync

// Not in namespace pawl: the version script exports everything in that namespace as public.
namespace pawl_private {

// From now on memory: URLs can be used. May be called from any thread, and more than once.
PAWL_EXPORT void provide_memory(pawl::sync::memory_opener open) noexcept;

[[nodiscard]] PAWL_EXPORT const pawl::base::platform& platform_of(pawl::client& who) noexcept;

}  // namespace pawl_private
