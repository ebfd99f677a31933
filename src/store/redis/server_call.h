// One request to a Redis server: how it is written, and what the replies mean. After a reply, the request
// may have to be sent once more: as a script instead of bare commands, with the full text of the script,
// with the right time, or with one lease in each call.
#pragma once

#include "base/platform.h"
#include "core/request.h"
#include "redis/failure.h"
#include "redis/handshake.h"
#include "redis/resp.h"
#include "store/redis/script_call.h"
#include "store/redis/server_clock.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::store {

// What calls have learned about the server.
struct server_memory {
    server_clock clock;
    std::atomic<bool> bare_refused{false};  // bare acquires: a permission is missing
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

protected:
    server_call() = default;
    server_call(const server_call&) = default;
    server_call(server_call&&) = default;
    server_call& operator=(const server_call&) = default;
    server_call& operator=(server_call&&) = default;
};

class acquire_call final : public server_call {
public:
    acquire_call(const core::acquire_request& what, server_memory& memory);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return std::move(got_); }
    [[nodiscard]] bool may_start_server() const noexcept override { return true; }

private:
    [[nodiscard]] next on_bare_reply(const redis::reply_view& reply);
    void note_taken(core::acquire_reply& got) const;

    core::acquire_request what_;
    server_memory* memory_;
    script_form form_;
    bool corrected_ = false;                // the request was sent once more with the right time
    bool mend_;                             // a bare acquire may have created the fence key
    std::optional<std::uint64_t> trusted_;  // of a bare acquire: the smallest trusted fence
    std::optional<bool> taken_;             // whether the bare acquire took the lock
    core::acquire_reply got_;
};

// Any request that takes one call of a script and has no other form.
class exchange_call final : public server_call {
public:
    exchange_call(core::exchange_request what, const base::platform& platform);

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

private:
    core::exchange_request what_;
    const base::platform* platform_;
    script_form form_;
    core::reply got_;
};

// Renews many leases in as few calls of the script as possible.
class renew_call final : public server_call {
public:
    explicit renew_call(const core::renew_request& what);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return in_order(got_); }

private:
    // The leases of one call. All are stored in the same way.
    struct part {
        std::size_t begin;
        std::size_t size;
        script_form form;
    };
    [[nodiscard]] std::span<const core::extend_request> leases_of(const part& which) const;
    void on_part(const part& which, const redis::reply_view& reply);
    [[nodiscard]] core::renew_request::reply in_order(const core::renew_request::reply& got) const;

    std::vector<core::extend_request> leases_;  // grouped by storage
    std::vector<std::size_t> places_;           // the index of each lease in the request
    std::vector<part> parts_;                   // the calls that were written last
    std::size_t answered_ = 0;                  // how many of `parts_` have a reply
    std::vector<part> again_;                   // calls to send once more
    core::renew_request::reply got_;
};

// The call for any request. The memory and the platform must outlive it.
using any_call = std::variant<acquire_call, exchange_call, renew_call>;
[[nodiscard]] any_call make_call(core::request what, server_memory& memory,
                                 const base::platform& platform);
[[nodiscard]] server_call& call_in(any_call& any);

}  // namespace pawl::store
