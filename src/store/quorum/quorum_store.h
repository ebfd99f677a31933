// A store that is a quorum: N independent servers, of which a majority must agree.
//
// The machines of src/core/quorum/ decide, and this class does: it sends their requests to the nodes, each of which
// is a single_server, and passes on the answers and messages. Everything happens on the client's event loop.
#pragma once

#include "base/platform.h"
#include "base/random.h"
#include "base/scheduler.h"
#include "core/quorum/nodes.h"
#include "core/quorum/outgoing.h"
#include "core/quorum/raising.h"
#include "core/quorum/renewal.h"
#include "redis/transport.h"
#include "store/quorum/holder.h"
#include "store/redis/single_server.h"
#include "store/store.h"

#include <pawl/log.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl::store {

class quorum_store final : public store {
public:
    struct settings {
        std::string shown;
        double clock_drift{};
        std::chrono::milliseconds command_limit{};
        // How long a node that may have forgotten votes does not vote.
        std::chrono::milliseconds quarantine{};
        // Called on the loop, with what users should know of the nodes. May be empty.
        std::function<void(log_record)> log;
        std::shared_ptr<observe::request_counters> counted_in{};
    };

    // `loop` must outlive the store. Stop it before the store is destroyed.
    quorum_store(const std::shared_ptr<base::platform>& platform, base::scheduler& loop,
                 std::vector<std::unique_ptr<redis::transport>> ways, settings how);
    ~quorum_store() override;

    core::reply execute(const core::request& what, base::boot_time until,
                        const base::interrupt* stop) override;
    void submit(core::request what, std::chrono::milliseconds patience, still_wanted wanted,
                reply_handler done) override;
    void connect() override;
    void listen(std::string_view client, notice_listener& who) override;
    void doubt() override;
    std::optional<core::failure> ping(base::boot_time until) override;
    server_list servers(std::string_view lock, base::boot_time until) override;
    std::vector<server_answer> ask(const std::vector<server_question>& questions,
                                   base::boot_time until) override;
    std::vector<node_info> nodes(std::string_view lock, base::boot_time until) override;
    std::optional<core::failure> init_nodes(bool force, base::boot_time until) override;
    void drain(base::boot_time until) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return how_.shown; }

private:
    using holder_ptr = std::shared_ptr<holder>;
    class node;
    class renewal;
    class question;
    class operators;

    void begin(const core::request& what, base::boot_time limit, reply_handler done);
    void begin_acquire(const core::acquire_request& what, base::boot_time until,
                       reply_handler done);
    void begin_release(const core::release_request& what, base::boot_time until,
                       reply_handler done);
    void begin_renew(const core::renew_request& what, base::boot_time until, reply_handler done);
    void begin_extend(const core::extend_request& what, base::boot_time until, reply_handler done);
    void begin_check(const core::check_request& what, base::boot_time until, reply_handler done);
    void begin_keep(const core::keep_request& what, base::boot_time until, reply_handler done);

    [[nodiscard]] holder_ptr find(std::string_view id) const;
    [[nodiscard]] holder_ptr find_or_add(const core::claim& mine);
    [[nodiscard]] holder_ptr held(std::string_view id) const;
    void give_back(const holder_ptr& who, const core::release_request* last, base::boot_time now);
    void proceed(const holder_ptr& who);
    void settle(const holder_ptr& who);
    void tell_if_drained();
    void on_time(const holder_ptr& who);

    template <class Read, class Wanted>
    void send(const core::quorum::outgoing& what, Read read, Wanted wanted);
    void send(const holder_ptr& who, const core::quorum::outgoing& what);
    void on_reply(const holder_ptr& who, const core::quorum::outgoing& asked,
                  const core::reply& got, base::boot_time now);
    void note(unsigned index, base::boot_time sent, const core::reply& got, base::boot_time now);
    void tell_warnings();
    void warn_of_shortage(const std::string& what, base::boot_time now);
    [[nodiscard]] core::quorum::nodes snapshot();

    void granted(unsigned index, const core::grant_notice& what);
    void listening(unsigned index, bool now);

    std::shared_ptr<base::platform> platform_;
    base::scheduler* loop_;
    settings how_;
    base::random_unit random_;
    const std::vector<std::string> names_;  // of the nodes
    core::quorum::nodes nodes_;
    std::unordered_map<std::string_view, holder_ptr> holders_;  // by id
    std::optional<base::boot_time> warned_at_;                  // that too few nodes can vote
    std::function<void()> drained_;  // called when no return is under way
    bool beginning_ = false;         // a request of submit()
    notice_listener* listener_ = nullptr;
    unsigned listening_ = 0;                      // how many nodes send messages
    std::vector<std::unique_ptr<node>> servers_;  // last, so that they are destroyed first
};

}  // namespace pawl::store
