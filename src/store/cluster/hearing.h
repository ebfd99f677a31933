// The messages that a client hears from one node of a Cluster, and when.
//
// From 7.0 on, a client has a sharded channel for each tag of a lock that it waits for. The node ends the subscription by
// itself when the slot moves away, or when it is made a replica. Before 7.0 a client has one plain channel for all
// locks of the node. Then nothing says that the node was made a replica, so it is asked once a second.
//
// A subscription stays after the wait, because the next one is often for the same lock. If there are very many, those
// that nobody has needed for a while are ended.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/platform.h"
#include "base/scheduler.h"
#include "common/mutex.h"
#include "redis/transport.h"
#include "store/cluster/route.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

class hearing final : private redis::channel_listener {
public:
    // Called on the loop.
    struct handlers {
        // `sharded`: the message was sent by this node. A plain one may have been sent by any node.
        std::function<void(std::string_view message, bool sharded)> heard;
        // Messages may have been missed.
        std::function<void()> missed;
        // The server cannot send messages, or refuses to.
        std::function<void()> refused;
    };

    // All must outlive it.
    hearing(const base::platform& platform, base::scheduler& loop, redis::transport& way,
            handlers told);

    // On the loop, once, before the first subscription.
    void start() { way_.watch_channels(*this); }

    enum class state {
        hears,    // messages for all tags arrive
        pending,  // the node has not answered yet
        deaf,     // not subscribed
    };

    // From any thread: whether messages arrive. If they do, they will for the time that is needed, or missed() is
    // called.
    [[nodiscard]] state look(const hearing_need& what);

    // From any thread: subscribes, unless that was done. `client` names the client to the server.
    void want(std::string_view client, const hearing_need& what);

    // From any thread except on the loop: waits while it is `pending`.
    [[nodiscard]] state wait(const hearing_need& what, base::boot_time until,
                             const base::interrupt* stop);

    // On the loop: calls `done` there, later, when it is not `pending` any more.
    void when_settled(hearing_need what, std::function<void(state)> done);

    // On the loop: a message should have arrived and did not.
    void doubt();

private:
    struct channel {
        enum class stage { wanted, asked, subscribed, leaving };
        stage now = stage::wanted;
        base::boot_time needed_until{};
    };
    struct waiter {
        hearing_need what;
        std::function<void(state)> done;
    };
    // What the server can do. Unknown without a connection.
    enum class mode { unknown, none, plain, sharded };

    void connected(const redis::server_facts& server) override;
    void disconnected(const redis::failure& why) override;
    void subscribed(std::string_view name) override;
    void refused(std::string_view name, const redis::failure& why) override;
    void unsubscribed(std::string_view name) override;
    void heard(std::string_view message) override;

    [[nodiscard]] state look_at(const hearing_need& what) PAWL_REQUIRES(mutex_);
    [[nodiscard]] std::vector<std::string> keys_of(const hearing_need& what) const
        PAWL_REQUIRES(mutex_);
    [[nodiscard]] std::string name_of(const std::string& key) const PAWL_REQUIRES(mutex_);
    [[nodiscard]] std::string key_in(std::string_view name) const PAWL_REQUIRES(mutex_);
    void note(channel& which, base::boot_time until) PAWL_REQUIRES(mutex_);
    void subscribe_wanted();
    void end_unused();
    void settle();
    void watch();
    void ask_node();
    void ask_role();

    const base::platform& platform_;
    base::scheduler& loop_;
    redis::transport& way_;
    handlers told_;
    std::vector<waiter> waiters_;                  // on the loop
    std::optional<base::scheduler::timer> watch_;  // on the loop
    bool asking_role_ = false;                     // on the loop

    common::mutex mutex_;
    std::condition_variable_any changed_;
    mode mode_ PAWL_GUARDED_BY(mutex_) = mode::unknown;
    // The server has ended a subscription, perhaps because it was made a replica. A replica accepts subscriptions too,
    // but the primary does not count them.
    bool doubts_role_ PAWL_GUARDED_BY(mutex_) = false;
    std::string client_ PAWL_GUARDED_BY(mutex_);
    std::map<std::string, channel> channels_
        PAWL_GUARDED_BY(mutex_);                              // by tag; "" for the plain one
    base::boot_time needed_until_ PAWL_GUARDED_BY(mutex_){};  // the latest of all
    base::boot_time next_sweep_ PAWL_GUARDED_BY(mutex_){};
};

}  // namespace pawl::store
