#include "store/cluster/nodes.h"

#include "store/redis/keys.h"
#include "store/redis/message.h"
#include "store/redis/reading.h"

#include <pawl/error.h>

#include <algorithm>
#include <utility>

namespace pawl::store {
namespace {

// After a refusal, perhaps someone gives the client the right to subscribe.
constexpr std::chrono::seconds refusal_lasts{10};

constexpr std::chrono::milliseconds shortest_try{250};

core::failure without_owner(std::uint16_t slot, const std::optional<redis::failure>& problem)
{
    if (problem) {
        auto why = failure_of(*problem);
        why.maybe_executed = false;
        return why;
    }
    return {.what = core::failure_kind::unavailable,
            .detail = "no node of the Cluster has the slot " + std::to_string(slot)};
}

bool is_in(const std::vector<node_address>& all, const node_address& one)
{
    return std::ranges::find(all, one) != all.end();
}

}  // namespace

cluster_node::cluster_node(node_address where, const std::shared_ptr<base::platform>& platform,
                           base::scheduler& loop, std::unique_ptr<redis::transport> connection,
                           const cluster_settings& how, hearing::handlers told)
    : address{std::move(where)},
      way{*connection},
      server{platform,
             std::move(connection),
             how.clock_drift,
             {.replicated = true, .cluster = true, .acks = how.acks, .counted_in = how.counted_in}},
      ears{*platform, loop, way, std::move(told)}
{
}

cluster_nodes::cluster_nodes(std::shared_ptr<base::platform> platform, base::scheduler& loop,
                             cluster_settings settings)
    : platform_{std::move(platform)},
      loop_{loop},
      settings_{std::move(settings)},
      longest_try_{std::max(settings_.limits.command / 4, shortest_try)},
      topology_{platform_, settings_.where, settings_.limits,
                [this] { loop_.post([this] { on_loaded(); }); }}
{
}

cluster_nodes::found cluster_nodes::owner(std::uint16_t slot)
{
    const auto where = topology_.owner(slot);
    if (!where) return {nullptr, without_owner(slot, topology_.problem())};
    return at(*where);
}

cluster_nodes::found cluster_nodes::at(const node_address& where)
{
    const common::scoped_lock guard{mutex_};
    if (const auto known = nodes_.find(where); known != nodes_.end()) return {known->second.get()};
    if (auto retired = retired_.extract(where)) {
        return {nodes_.insert(std::move(retired)).position->second.get()};
    }
    std::unique_ptr<cluster_node> made;
    try {
        made = std::make_unique<cluster_node>(where, platform_, loop_,
                                              settings_.connect(topology_.config_of(where)),
                                              settings_, handlers_for(where));
    } catch (const error& e) {
        return {nullptr, {.what = core::failure_kind::refused, .detail = e.what()}};
    }
    auto* const node = made.get();
    nodes_.emplace(where, std::move(made));
    loop_.post([node, connects = connects_] {
        node->ears.start();
        if (connects) node->way.connect();
    });
    return {node};
}

hearing::handlers cluster_nodes::handlers_for(const node_address& where)
{
    return {.heard = [this, where](std::string_view text,
                                   bool sharded) { on_message(where, text, sharded); },
            .missed = [this] { on_missed(); },
            .refused = [this] { on_refused(); }};
}

void cluster_nodes::note(const itinerary::next& step)
{
    if (step.moved) topology_.moved(*step.moved);
    if (step.reload) topology_.reload();
}

void cluster_nodes::when_loaded(std::function<void()> done)
{
    waiting_for_load_.push_back(std::move(done));
    topology_.reload();
}

void cluster_nodes::on_loaded()
{
    const auto waiting = std::exchange(waiting_for_load_, {});
    auto owners = topology_.owners();
    bool left = false;  // a node that had slots and was used
    std::vector<cluster_node*> closed;
    {
        const common::scoped_lock guard{mutex_};
        for (auto next = nodes_.begin(); next != nodes_.end();) {
            const auto each = next++;
            if (is_in(owners, each->first)) continue;
            left = left || is_in(owners_, each->first);
            retired_.insert(nodes_.extract(each));
        }
        closed.reserve(retired_.size());
        for (const auto& [where, node] : retired_) closed.push_back(node.get());
    }
    owners_ = std::move(owners);
    // All of them: a request that began before may have connected again.
    for (auto* const each : closed) each->way.hang_up();
    for (const auto& each : waiting) each();
    if (left) moved_();
}

std::vector<cluster_node*> cluster_nodes::all() const
{
    const common::scoped_lock guard{mutex_};
    std::vector<cluster_node*> got;
    got.reserve(nodes_.size());
    for (const auto& [where, node] : nodes_) got.push_back(node.get());
    return got;
}

std::string cluster_nodes::client() const
{
    const common::scoped_lock guard{mutex_};
    return client_;
}

void cluster_nodes::listen(std::string_view client, notice_listener& who)
{
    {
        const common::scoped_lock guard{mutex_};
        client_ = client;
    }
    listener_ = &who;
    hears_ = true;
    // Each node is listened to when someone waits there.
    who.listening(true);
}

void cluster_nodes::connect()
{
    {
        const common::scoped_lock guard{mutex_};
        connects_ = true;
    }
    for (auto* const each : all()) each->way.connect();
}

void cluster_nodes::doubt()
{
    for (auto* const each : all()) each->ears.doubt();
}

// A message also reaches other nodes: the replicas of the shard, or all if the channel is a plain one. It has the time of
// the node that has sent it, the owner of the lock. So only the copy from there counts: the clocks of the others may
// differ.
//
// A sharded message that comes from another node than the table says: probably the table is old. The waiter must ask.
void cluster_nodes::on_message(const node_address& from, std::string_view text, bool sharded)
{
    const auto got = read_message(text);
    if (!got) return;
    if (topology_.owner(hash_slot(got->lock)) != from) {
        if (sharded) on_missed();
        return;
    }
    auto* const node = at(from).node;
    if (node != nullptr) node->server.deliver(text, *listener_);
}

void cluster_nodes::on_missed()
{
    topology_.reload();
    if (!hears_ || std::exchange(telling_, true)) return;
    // Once for all channels that ended at the same time.
    loop_.post([this] {
        telling_ = false;
        if (!hears_) return;
        listener_->listening(false);
        listener_->listening(true);
    });
}

void cluster_nodes::on_refused()
{
    if (!std::exchange(hears_, false)) return;
    listener_->listening(false);
    static_cast<void>(loop_.call_at(platform_->now() + refusal_lasts, [this] {
        hears_ = true;
        listener_->listening(true);
    }));
}

}  // namespace pawl::store
