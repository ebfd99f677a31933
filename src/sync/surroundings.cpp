#include "sync/surroundings.h"

#include "base/event_loop.h"
#include "redis/socket_transport.h"
#include "redis/url.h"
#include "store/redis/single_server.h"

#include <utility>

namespace pawl::sync {

surroundings surroundings_for(const client_options& options)
{
    auto platform = std::make_shared<base::system_platform>();
    auto loop = std::make_unique<base::event_loop>(*platform);
    auto way = std::make_unique<redis::socket_transport>(
        *loop, redis::read_config(options), options.pool_size,
        redis::pipeline::limits{.connect = options.connect_limit,
                                .command = options.command_limit});
    return {.platform = std::move(platform),
            .stops = std::make_unique<observe::dispatcher_thread>(),
            .handlers = std::make_unique<observe::dispatcher_thread>(),
            .loop = std::move(loop),
            .store = std::make_shared<store::single_server>(std::move(way))};
}

}  // namespace pawl::sync
