// What libpawl shows to libpawl-testing, the library behind <pawl/testing.h>, and to nobody else.
//
// libpawl itself has no memory server. The other library tells it how one is opened, and finds out
// of which server a client is. Both must be of the same version, as they share the classes of src/:
// cmake/pawl.map.in has the functions below in a version node that names it. docs/decisions/0012
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

// One client's place at a memory server: the parts of a client that differ from those of a real server.
class memory_seat {
public:
    memory_seat() = default;
    virtual ~memory_seat() = default;
    memory_seat(const memory_seat&) = delete;
    memory_seat& operator=(const memory_seat&) = delete;

    // Has the server's clock. It lives on without the seat, as do the others.
    [[nodiscard]] virtual std::shared_ptr<base::platform> platform() = 0;

    // Runs the user's handlers on `thread`, and lets the server's clock wait for them.
    [[nodiscard]] virtual std::unique_ptr<observe::dispatcher> dispatcher(
        std::unique_ptr<observe::dispatcher> thread) = 0;

    // `loop`, which goes by the clock of platform(), must outlive the transport.
    [[nodiscard]] virtual std::unique_ptr<redis::transport> transport(
        base::clocked_scheduler& loop, redis::transport::limits within) = 0;
};

// Opens memory:NAME. `machine` is the real one.
using memory_opener = std::unique_ptr<memory_seat> (*)(std::string_view name,
                                                       std::unique_ptr<base::platform> machine);

// Throws pawl::error (bad_argument) if nobody has provided memory servers.
[[nodiscard]] std::unique_ptr<memory_seat> open_memory(std::string_view name);

}  // namespace pawl::sync

// Outside of namespace pawl, where the version script exports everything as public.
namespace pawl_private {

// From now on memory: URLs can be used. From any thread, and as often as one likes.
PAWL_EXPORT void provide_memory(pawl::sync::memory_opener open) noexcept;

[[nodiscard]] PAWL_EXPORT const pawl::base::platform& platform_of(pawl::client& who) noexcept;

}  // namespace pawl_private
