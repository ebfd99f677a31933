// The fixture of the tests with a Redis Cluster.
#pragma once

#include "integration/contended.h"
#include "store/redis/keys.h"
#include "support/redis_cluster.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::test {

class in_cluster : public testing::Test {
protected:
    in_cluster() = default;
    explicit in_cluster(cluster_options how) : cluster_{std::move(how)} {}

    [[nodiscard]] client_options options()
    {
        client_options made;
        made.url = cluster_.url();
        events_.attach(made);
        return made;
    }

    // A name whose slot is at this node.
    [[nodiscard]] std::string name_at(std::size_t node, std::string_view begin = "job") const
    {
        for (int i = 0;; ++i) {
            auto name = std::string{begin} + std::to_string(i);
            if (cluster_.owner_of(name) == node) return name;
        }
    }

    [[nodiscard]] redis_probe owner_of(std::string_view name) const
    {
        return cluster_.probe(cluster_.owner_of(name));
    }

    [[nodiscard]] std::string holder(std::string_view name) const
    {
        return owner_of(name).get(name);
    }

    // Waits until so many have a place in the queue. Reads the node each time: the slot may move.
    [[nodiscard]] bool until_queued(std::string_view name, std::int64_t count) const
    {
        const auto queue = store::queue_key(name);
        return eventually([&] {
            const auto length = owner_of(name).command({"LLEN", queue});
            return !length.is_error() && length.integer == 2 * count;
        });
    }

    // The number of channels at a node that clients of pawl are subscribed to.
    [[nodiscard]] std::size_t channels_at(std::size_t node) const
    {
        const auto* const which = sharded_ ? "SHARDCHANNELS" : "CHANNELS";
        return cluster_.probe(node).must({"PUBSUB", which, "pawl:client:*"}).items.size();
    }

    event_log events_;
    redis_cluster cluster_;
    // Whether the servers have sharded channels: from 7.0 on.
    bool sharded_ = !cluster_.probe(0).command({"PUBSUB", "SHARDCHANNELS"}).is_error();
};

// Without replicas, which start sooner.
class in_small_cluster : public in_cluster {
protected:
    in_small_cluster() : in_cluster{{.replicas = 0}} {}
};

}  // namespace pawl::test
