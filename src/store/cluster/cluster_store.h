// A store that is a Redis Cluster: each lock is at the node that has the slot of its name.
#pragma once

#include "base/platform.h"
#include "base/scheduler.h"
#include "store/cluster/journey.h"
#include "store/cluster/nodes.h"
#include "store/store.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

class cluster_store final : public store {
public:
    // `loop` must outlive the store. Stop the loop before the store is destroyed. Throws pawl::error (bad_argument).
    cluster_store(std::shared_ptr<base::platform> platform, base::scheduler& loop,
                  cluster_settings settings);

    core::reply execute(const core::request& what, base::boot_time until,
                        const base::interrupt* stop) override;
    void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                reply_handler done) override;
    void connect() override { nodes_.connect(); }
    void listen(std::string_view client, notice_listener& who) override
    {
        nodes_.listen(client, who);
    }
    void on_moved(const std::function<void()>& moved) override { nodes_.on_moved(moved); }
    void doubt() override { nodes_.doubt(); }
    std::optional<core::failure> ping(base::boot_time until) override;
    server_list servers(std::string_view lock, base::boot_time until) override;
    std::vector<server_answer> ask(const std::vector<server_question>& questions,
                                   base::boot_time until) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }
    [[nodiscard]] std::size_t part_of(const core::object& what) const override;

private:
    [[nodiscard]] core::reply execute_each(const core::renew_request& all, base::boot_time until,
                                           const base::interrupt* stop);
    [[nodiscard]] cluster_nodes::found owner(std::uint16_t slot, base::boot_time until,
                                             const base::interrupt* stop);
    [[nodiscard]] core::reply ask(cluster_node& at, const core::request& what,
                                  base::boot_time until, const base::interrupt* stop);
    [[nodiscard]] core::reply ask_for_place(cluster_node& at, const core::request& what,
                                            base::boot_time until, const base::interrupt* stop);
    [[nodiscard]] std::optional<core::failure> ping_owners(base::boot_time until);
    [[nodiscard]] cluster_node* named(std::string_view server);
    void note(const server_answer& got);
    [[nodiscard]] bool listens(cluster_node& at, const hearing_need& need, base::boot_time until,
                               const base::interrupt* stop);

    std::shared_ptr<base::platform> platform_;
    base::scheduler& loop_;
    std::string shown_;
    mutable cluster_nodes nodes_;
};

}  // namespace pawl::store
