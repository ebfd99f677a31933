#include "sync/surroundings.h"

#include "base/event_loop.h"
#include "core/object.h"
#include "redis/connection_name.h"
#include "redis/deployment.h"
#include "redis/socket_transport.h"
#include "store/cluster/cluster_store.h"
#include "store/quorum/quorum_store.h"
#include "store/redis/single_server.h"
#include "store/sentinel/sentinel_store.h"
#include "sync/memory_seam.h"

#include <pawl/error.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pawl::sync {
namespace {

redis::transport::limits limits_of(const client_options& options)
{
    return {.connect = options.connect_limit, .command = options.command_limit};
}

// The first try of an operation has a third of the command limit (core/patience.h), and the server waits twice in
// it if it does not know the script.
store::acknowledging acknowledging_of(const redis::server_config& server,
                                      const client_options& options)
{
    constexpr int share = 9;
    return {.wanted = server.acknowledged, .longest = options.command_limit / share};
}

// Those of the requests, which keep the others alive.
std::shared_ptr<observe::request_counters> requests_in(const observe::counters_ptr& all)
{
    return {all, &all->requests};
}

void count_in(redis::deployment& of, const observe::counters_ptr& all)
{
    const std::shared_ptr<observe::traffic> connections{all, &all->connections};
    for (auto& each : of.servers) each.counted_in = connections;
    of.found.counted_in = connections;
}

std::unique_ptr<redis::transport> socket_way(base::event_loop& loop, redis::server_config to,
                                             const client_options& options)
{
    return std::make_unique<redis::socket_transport>(loop, std::move(to), options.pool_size,
                                                     limits_of(options));
}

std::function<void(log_record)> writing_to(observe::log_writer& log)
{
    if (!log.is_on()) return {};
    return [&log](log_record what) { log.write(std::move(what)); };
}

std::shared_ptr<store::store> open_quorum(const std::shared_ptr<base::platform>& platform,
                                          base::event_loop& loop, redis::deployment where,
                                          const client_options& options,
                                          const observe::counters_ptr& counters,
                                          observe::log_writer& log)
{
    std::vector<std::unique_ptr<redis::transport>> ways;
    for (auto& each : where.servers) {
        each.wants_run_id = true;
        ways.push_back(socket_way(loop, std::move(each), options));
    }
    return std::make_shared<store::quorum_store>(
        platform, loop, std::move(ways),
        store::quorum_store::settings{
            .shown = std::move(where.shown),
            .clock_drift = options.clock_drift,
            .command_limit = options.command_limit,
            .quarantine = core::quorum::quarantine(options.longest_lease, options.clock_drift),
            .log = writing_to(log),
            .counted_in = requests_in(counters)});
}

std::shared_ptr<store::store> open_store(const std::shared_ptr<base::platform>& platform,
                                         base::event_loop& loop, redis::deployment where,
                                         const client_options& options,
                                         const observe::counters_ptr& counters,
                                         observe::log_writer& log)
{
    const auto acks = acknowledging_of(
        where.what == redis::deployment::kind::one_server ? where.servers.front() : where.found,
        options);
    using kind = redis::deployment::kind;
    switch (where.what) {
    case kind::one_server: break;
    case kind::sentinel:
        return std::make_shared<store::sentinel_store>(
            platform, loop, std::move(where),
            store::sentinel_store::settings{.pool_size = options.pool_size,
                                            .within = limits_of(options),
                                            .clock_drift = options.clock_drift,
                                            .acks = acks,
                                            .counted_in = requests_in(counters)});
    case kind::cluster:
        return std::make_shared<store::cluster_store>(
            platform, loop,
            store::cluster_settings{.where = std::move(where),
                                    .limits = limits_of(options),
                                    .clock_drift = options.clock_drift,
                                    .acks = acks,
                                    .counted_in = requests_in(counters),
                                    .connect = [&loop, options](redis::server_config to) {
                                        return socket_way(loop, std::move(to), options);
                                    }});
    case kind::quorum: return open_quorum(platform, loop, std::move(where), options, counters, log);
    }
    return std::make_shared<store::single_server>(
        platform, socket_way(loop, std::move(where.servers.front()), options), options.clock_drift,
        store::server_settings{.acks = acks, .counted_in = requests_in(counters)});
}

surroundings for_real_servers(redis::deployment where, const client_options& options)
{
    auto platform = std::make_shared<base::system_platform>();
    auto client = platform->random_id();
    redis::name_connections(where, core::channel_of(client));
    auto counters = std::make_shared<observe::client_counters>(options.measured_locks);
    count_in(where, counters);
    auto loop = std::make_unique<base::event_loop>(*platform);
    auto handlers = std::make_unique<observe::dispatcher_thread>();
    const bool quorum = where.what == redis::deployment::kind::quorum;
    auto log = std::make_unique<observe::log_writer>(options.log, *platform, *handlers);
    auto store = open_store(platform, *loop, std::move(where), options, counters, *log);
    return {.client = std::move(client),
            .platform = std::move(platform),
            .stops = std::make_unique<observe::dispatcher_thread>(),
            .handlers = std::move(handlers),
            .log = std::move(log),
            .loop = std::move(loop),
            .store = std::move(store),
            .quorum = quorum,
            .counters = std::move(counters)};
}

surroundings for_memory_server(const redis::server_config& server, const client_options& options)
{
    const auto seat = open_memory(server.where.name);
    auto platform = seat->platform();
    auto loop = std::make_unique<base::event_loop>(*platform);
    auto transport = seat->transport(*loop, limits_of(options));
    auto counters = std::make_shared<observe::client_counters>(options.measured_locks);
    auto store = std::make_shared<store::single_server>(
        platform, std::move(transport), options.clock_drift,
        store::server_settings{.acks = acknowledging_of(server, options),
                               .counted_in = requests_in(counters)});
    return {.client = platform->random_id(),
            .platform = platform,
            .stops = seat->dispatcher(std::make_unique<observe::dispatcher_thread>()),
            .handlers = seat->dispatcher(std::make_unique<observe::dispatcher_thread>()),
            .loop = std::move(loop),
            .store = std::move(store),
            .counters = std::move(counters)};
}

}  // namespace

surroundings surroundings_for(const client_options& options)
{
    auto where = redis::read_deployment(options);
    const auto& first = where.servers.front();
    if (first.where.what == redis::address::kind::memory) return for_memory_server(first, options);
    return for_real_servers(std::move(where), options);
}

}  // namespace pawl::sync
