#include "sync/memory_seam.h"

#include "sync/client_access.h"

#include <pawl/error.h>

#include <atomic>

namespace pawl::sync {
namespace {

// constinit: a program may provide and use memory servers in the constructors of its global variables.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
constinit std::atomic<memory_opener> opener{nullptr};

}  // namespace

std::unique_ptr<memory_seat> open_memory(std::string_view name)
{
    const auto open = opener.load();
    if (open == nullptr) {
        throw error{errc::bad_argument,
                    "URL: memory: needs the library pawl-testing: link pawl::testing (pkg-config: "
                    "pawl-testing) and include <pawl/testing.h> anywhere in the program"};
    }
    return open(name, std::make_unique<base::system_platform>());
}

}  // namespace pawl::sync

namespace pawl_private {

void provide_memory(pawl::sync::memory_opener open) noexcept
{
    pawl::sync::opener.store(open);
}

const pawl::base::platform& platform_of(pawl::client& who) noexcept
{
    return pawl::client_access::state(who).platform();
}

}  // namespace pawl_private
