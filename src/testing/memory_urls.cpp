// Registers memory: URLs with libpawl.
#include <pawl/testing.h>

#include "store/memory/platform.h"
#include "store/memory/servers.h"
#include "store/memory/transport.h"
#include "store/memory/watched_dispatcher.h"
#include "sync/memory_seam.h"

#include <memory>
#include <utility>

namespace pawl::testing {
namespace {

namespace memory = store::memory;

class seat final : public sync::memory_seat {
public:
    explicit seat(std::shared_ptr<memory::platform> where) : where_{std::move(where)} {}

    std::shared_ptr<base::platform> platform() override { return where_; }

    std::unique_ptr<observe::dispatcher> dispatcher(
        std::unique_ptr<observe::dispatcher> thread) override
    {
        const auto& server = where_->server();
        return std::make_unique<memory::watched_dispatcher>(
            std::shared_ptr<memory::timeline>{server, &server->time()}, std::move(thread));
    }

    std::unique_ptr<redis::transport> transport(base::clocked_scheduler& loop,
                                                redis::transport::limits within) override
    {
        return std::make_unique<memory::transport>(loop, where_, within);
    }

private:
    std::shared_ptr<memory::platform> where_;
};

std::unique_ptr<sync::memory_seat> open(std::string_view name,
                                        std::unique_ptr<base::platform> machine)
{
    return std::make_unique<seat>(
        std::make_shared<memory::platform>(memory::server_named(name), std::move(machine)));
}

}  // namespace

bool detail::provide_memory_urls() noexcept
{
    pawl_private::provide_memory(&open);
    return true;
}

}  // namespace pawl::testing
