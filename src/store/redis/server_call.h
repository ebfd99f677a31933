// One request to a Redis server: how it is written, and what the replies mean. After a reply, the request
// may have to be sent once more: as a script instead of bare commands, with the full text of the script,
// with the right time, or with one lease in each call.
#pragma once

#include "base/platform.h"
#include "core/request.h"
#include "observe/traffic.h"
#include "redis/failure.h"
#include "redis/handshake.h"
#include "redis/resp.h"
#include "store/redis/acknowledging.h"
#include "store/redis/acquire_verb.h"
#include "store/redis/replication.h"
#include "store/redis/script_call.h"
#include "store/redis/server_clock.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::store {

struct server_settings {
    // A replica may take the server's place, also while connections to it stay open: it is then made a replica, and
    // perhaps the primary again later. So it may give the same number twice, and there are no bare acquires.
    bool replicated = false;
    // It is a node of a Cluster: all keys of a call must be in one slot.
    bool cluster = false;
    // A node of a quorum: how long it must not vote after it has lost its votes.
    std::chrono::milliseconds quarantine{};
    // A node of a quorum: called on the loop when a request is written, with the run of the server that its connection
    // leads to.
    std::function<void(const std::string& run_id)> note_run{};
    // How many replicas must acknowledge a grant.
    acknowledging acks{};
    std::shared_ptr<observe::request_counters> counted_in{};  // null: requests are not counted
};

// What calls know about the server, and have learned about it.
struct server_memory {
    server_clock clock;
    server_settings settings{};
    server_history history{};
    std::atomic<bool> bare_refused{false};  // no bare acquires: a permission is missing
    // Of a node of a quorum: the run of the server that has had the text of the script of a return. A return should be
    // executed at once: its caller does not wait, and may ask for the same lock again, or end its process.
    std::string run_with_return_script{};

    [[nodiscard]] bool has_bare_acquires() const noexcept
    {
        return !settings.replicated && !settings.acks.is_on() && !bare_refused;
    }
};

class server_call {
public:
    virtual ~server_call() = default;

    // Returns how many replies there will be. May be called several times before the first reply.
    [[nodiscard]] virtual unsigned write(const redis::server_facts& server, std::string& out) = 0;

    enum class next {
        read,    // another reply follows
        send,    // the request must be sent once more
        finish,  // the request is complete
    };
    [[nodiscard]] virtual next on_reply(const redis::reply_view& reply) = 0;
    [[nodiscard]] virtual core::reply on_problem(const redis::failure& why) const = 0;

    // Returns the reply. May be called after `finish`.
    [[nodiscard]] virtual core::reply take() = 0;

    // Whether a local: server is started for this request. Requests about a hold do not need that, because
    // a server that was stopped has no locks.
    [[nodiscard]] virtual bool may_start_server() const noexcept { return false; }

    // Whether the server waits for its replicas, so that the requests behind this one wait too.
    [[nodiscard]] virtual bool waits_for_replicas() const noexcept { return false; }

protected:
    server_call() = default;
    server_call(const server_call&) = default;
    server_call(server_call&&) = default;
    server_call& operator=(const server_call&) = default;
    server_call& operator=(server_call&&) = default;
};

class acquire_call final : public server_call {
public:
    acquire_call(const core::acquire_request& what, server_memory& memory,
                 const base::platform& platform);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return std::move(got_); }
    [[nodiscard]] bool may_start_server() const noexcept override { return true; }
    [[nodiscard]] bool waits_for_replicas() const noexcept override;

private:
    // The commands of the request, in the order of their replies.
    enum class part { set, incr, script, replication, wait };

    [[nodiscard]] bool asks_about_replicas() const;
    void expect(part what) noexcept { parts_[expected_++] = what; }
    void read_part(part which, const redis::reply_view& reply);
    void read_script(const redis::reply_view& reply);
    void read_replication_part(const redis::reply_view& reply);
    [[nodiscard]] next after_bare();
    [[nodiscard]] next after_script();
    [[nodiscard]] bool is_proven() const;
    void note_taken(core::acquire_reply& got) const;

    core::acquire_request what_;
    server_memory* memory_;
    const base::platform* platform_;
    script_form form_;
    bool corrected_ = false;                // the request was sent once more with the right time
    bool mend_;                             // a bare acquire may have created the fence key
    std::optional<std::uint64_t> trusted_;  // of a bare acquire: the smallest trusted fence

    std::array<part, 3> parts_{};  // of the request that was written last
    std::size_t expected_ = 0;     // how many replies it has
    std::size_t answered_ = 0;     // how many of them have come

    // From the replies.
    std::optional<bool> taken_;  // whether the bare acquire took the lock
    std::uint64_t number_ = 0;   // the fence of the bare acquire; 0 if it has none
    bool unknown_script_ = false;
    std::optional<acquire_time> time_;
    std::optional<replication> replication_;
    std::optional<core::failure> replication_refused_;
    std::optional<core::failure> unacknowledged_;
    core::acquire_reply got_;
};

// Any request that takes one call of a script and has no other form.
class exchange_call final : public server_call {
public:
    exchange_call(core::exchange_request what, server_memory& memory,
                  const base::platform& platform);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return std::move(got_); }
    [[nodiscard]] bool may_start_server() const noexcept override
    {
        return std::holds_alternative<core::arrive_request>(what_) ||
               std::holds_alternative<core::notify_request>(what_) ||
               std::holds_alternative<core::read_request>(what_) ||
               std::holds_alternative<core::due_request>(what_);
    }
    [[nodiscard]] bool waits_for_replicas() const noexcept override { return lease().has_value(); }

private:
    // The lease that it restarts, if replicas must acknowledge that.
    [[nodiscard]] std::optional<std::chrono::milliseconds> lease() const noexcept;
    [[nodiscard]] core::reply read_script(const redis::reply_view& reply) const;

    core::exchange_request what_;
    const server_memory* memory_;
    const base::platform* platform_;
    script_form form_;
    bool script_answered_ = false;
    bool unknown_script_ = false;
    core::reply got_;
};

// Renews many leases in as few calls of the script as possible.
class renew_call final : public server_call {
public:
    renew_call(const core::renew_request& what, const server_memory& memory);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return in_order(got_); }
    [[nodiscard]] bool waits_for_replicas() const noexcept override
    {
        return memory_->settings.acks.is_on();
    }

private:
    // The leases of one call. All are stored in the same way and, in a Cluster, in the same slot.
    struct part {
        std::size_t begin;
        std::size_t size;
        script_form form;
    };
    [[nodiscard]] std::span<const core::extend_request> leases_of(const part& which) const;
    void on_part(const part& which, const redis::reply_view& reply);
    [[nodiscard]] core::renew_request::reply in_order(const core::renew_request::reply& got) const;
    [[nodiscard]] std::chrono::milliseconds shortest_lease() const;
    // What was renewed by the calls that were written last does not count.
    void take_back(core::renew_request::reply& got, const core::failure& why) const;

    const server_memory* memory_;
    std::vector<core::extend_request> leases_;  // grouped by call
    std::vector<std::size_t> places_;           // the index of each lease in the request
    std::vector<part> parts_;                   // the calls that were written last
    std::size_t answered_ = 0;                  // how many of `parts_` have a reply
    std::vector<part> again_;                   // calls to send once more
    core::renew_request::reply got_;
};

// A request with one call of a script, for a node that is getting the slot: after the redirection ASK.
class asking_call final : public server_call {
public:
    // `what` must outlive it.
    explicit asking_call(server_call& what) : what_{&what} {}

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override
    {
        return what_->on_problem(why);
    }
    [[nodiscard]] core::reply take() override { return what_->take(); }
    [[nodiscard]] bool waits_for_replicas() const noexcept override
    {
        return what_->waits_for_replicas();
    }

private:
    server_call* what_;
    bool allowed_ = false;  // ASKING has its reply
};

// A request to a node of a quorum about one vote.
class vote_call final : public server_call {
public:
    using request = std::variant<core::vote_request, core::raise_request, core::hand_back_request,
                                 core::return_request>;
    vote_call(request what, server_memory& memory, const base::platform& platform);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return std::move(got_); }

private:
    request what_;
    server_memory* memory_;
    const base::platform* platform_;
    script_form form_;
    std::string new_run_{};   // of a return with the text of its script: the run of the server
    bool corrected_ = false;  // a vote was sent once more with the right time
    core::reply got_;
};

// Renews and restores many votes at a node, in one call of the script if that is possible.
class restore_call final : public server_call {
public:
    restore_call(core::restore_request what, server_memory& memory, const base::platform& platform);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return std::move(got_); }

private:
    struct part {
        std::size_t begin;
        std::size_t size;
        script_form form;
    };
    [[nodiscard]] std::span<const core::restore_part> votes_of(const part& which) const;
    void on_part(const part& which, const redis::reply_view& reply);

    core::restore_request what_;
    server_memory* memory_;
    const base::platform* platform_;
    std::vector<part> parts_;   // the calls that were written last
    std::size_t answered_ = 0;  // how many of `parts_` have a reply
    std::vector<part> again_;   // calls to send once more
    core::restore_reply got_;
};

// The call for any request. The memory and the platform must outlive it.
using any_call = std::variant<acquire_call, exchange_call, renew_call, vote_call, restore_call>;
[[nodiscard]] any_call make_call(core::request what, server_memory& memory,
                                 const base::platform& platform);
[[nodiscard]] server_call& call_in(any_call& any);

}  // namespace pawl::store
