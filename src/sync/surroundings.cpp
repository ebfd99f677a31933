#include "sync/surroundings.h"

#include "base/event_loop.h"
#include "redis/socket_transport.h"
#include "redis/url.h"
#include "store/redis/single_server.h"
#include "sync/memory_seam.h"

#include <utility>

namespace pawl::sync {
namespace {

redis::transport::limits limits_of(const client_options& options)
{
    return {.connect = options.connect_limit, .command = options.command_limit};
}

surroundings for_real_server(redis::server_config config, const client_options& options)
{
    auto platform = std::make_shared<base::system_platform>();
    auto loop = std::make_unique<base::event_loop>(*platform);
    auto transport = std::make_unique<redis::socket_transport>(
        *loop, std::move(config), options.pool_size, limits_of(options));
    auto store =
        std::make_shared<store::single_server>(platform, std::move(transport), options.clock_drift);
    return {.platform = std::move(platform),
            .stops = std::make_unique<observe::dispatcher_thread>(),
            .handlers = std::make_unique<observe::dispatcher_thread>(),
            .loop = std::move(loop),
            .store = std::move(store)};
}

surroundings for_memory_server(const std::string& name, const client_options& options)
{
    const auto seat = open_memory(name);
    auto platform = seat->platform();
    auto loop = std::make_unique<base::event_loop>(*platform);
    auto transport = seat->transport(*loop, limits_of(options));
    auto store =
        std::make_shared<store::single_server>(platform, std::move(transport), options.clock_drift);
    return {.platform = std::move(platform),
            .stops = seat->dispatcher(std::make_unique<observe::dispatcher_thread>()),
            .handlers = seat->dispatcher(std::make_unique<observe::dispatcher_thread>()),
            .loop = std::move(loop),
            .store = std::move(store)};
}

}  // namespace

surroundings surroundings_for(const client_options& options)
{
    auto config = redis::read_config(options);
    const bool in_memory = config.where.what == redis::address::kind::memory;
    return in_memory ? for_memory_server(config.where.name, options)
                     : for_real_server(std::move(config), options);
}

}  // namespace pawl::sync
