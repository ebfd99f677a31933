// The primaries of a Cluster, each with its connections, its clock and its channels. A node is made when it is first
// needed, and closed when it has no slots any more.
#pragma once

#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"
#include "redis/deployment.h"
#include "redis/transport.h"
#include "store/cluster/hearing.h"
#include "store/cluster/itinerary.h"
#include "store/cluster/slot_table.h"
#include "store/cluster/topology.h"
#include "store/redis/single_server.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

struct cluster_settings {
    redis::deployment where;
    redis::transport::limits limits;
    double clock_drift{};
    acknowledging acks{};
    std::shared_ptr<observe::request_counters> counted_in{};
    // Makes the connection to a node. May throw pawl::error (bad_argument).
    std::function<std::unique_ptr<redis::transport>(redis::server_config)> connect;
};

struct cluster_node {
    cluster_node(node_address where, const std::shared_ptr<base::platform>& platform,
                 base::scheduler& loop, std::unique_ptr<redis::transport> connection,
                 const cluster_settings& how, hearing::handlers told);

    node_address address;
    redis::transport& way;
    single_server server;  // has `way`
    hearing ears;
};

class cluster_nodes {
public:
    // `loop` must outlive it. Stop the loop before it is destroyed. Throws pawl::error (bad_argument).
    cluster_nodes(std::shared_ptr<base::platform> platform, base::scheduler& loop,
                  cluster_settings settings);

    // A node, or the reason why there is none. The node lives as long as this object. Handlers of requests must not own
    // it: it owns the requests and their handlers, so neither would ever be destroyed.
    struct found {
        cluster_node* node = nullptr;
        core::failure why{};
    };

    // From any thread: the owner of a slot, if the table is loaded.
    [[nodiscard]] found owner(std::uint16_t slot);
    [[nodiscard]] found at(const node_address& where);

    // From any thread: does what the itinerary says about the table.
    void note(const itinerary::next& step);

    // On the loop: loads the table, and calls `done` on the loop when that has ended.
    void when_loaded(std::function<void()> done);

    [[nodiscard]] topology& map() noexcept { return topology_; }

    // Before the loop starts: as in store.
    void on_moved(const std::function<void()>& moved) { moved_ = moved; }

    // On the loop: as in store.
    void listen(std::string_view client, notice_listener& who);
    void connect();
    void doubt();

    // From any thread: the name with which messages are sent to this client. Empty before listen().
    [[nodiscard]] std::string client() const;

    // How long a node gets for one try, within the limit of the request. Then the table is loaded, and the request is
    // repeated: another node may have taken the place of one that is silent.
    [[nodiscard]] std::chrono::milliseconds longest_try() const noexcept { return longest_try_; }

private:
    [[nodiscard]] hearing::handlers handlers_for(const node_address& where);
    void on_loaded();
    void on_message(const node_address& from, std::string_view text, bool sharded);
    void on_missed();
    void on_refused();
    [[nodiscard]] std::vector<cluster_node*> all() const;

    std::shared_ptr<base::platform> platform_;
    base::scheduler& loop_;
    cluster_settings settings_;
    std::chrono::milliseconds longest_try_;

    // On the loop.
    notice_listener* listener_ = nullptr;
    std::function<void()> moved_ = [] {};
    bool hears_ = false;    // the client was told that it hears
    bool telling_ = false;  // a task tells it that messages may have been missed
    std::vector<std::function<void()>> waiting_for_load_;
    std::vector<node_address> owners_;  // by the last load

    mutable common::mutex mutex_;
    std::string client_ PAWL_GUARDED_BY(mutex_);
    bool connects_ PAWL_GUARDED_BY(mutex_) = false;  // new nodes connect at once
    std::map<node_address, std::unique_ptr<cluster_node>> nodes_ PAWL_GUARDED_BY(mutex_);
    // Without slots, and closed. They are not destroyed, because tasks on the loop may still use them. There are few:
    // at most one for each address that a node ever had.
    std::map<node_address, std::unique_ptr<cluster_node>> retired_ PAWL_GUARDED_BY(mutex_);

    topology topology_;  // last, so that its thread ends first: it calls us
};

}  // namespace pawl::store
