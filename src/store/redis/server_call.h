// One request under way to a Redis server: how it is written, and what the replies mean. A reply may
// mean that it has to be sent once more: as a script, in full, with the right time, one by one.
#pragma once

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
    std::atomic<bool> bare_refused{false};  // a bare acquire, for want of the right to it
};

class server_call {
public:
    virtual ~server_call() = default;

    // Returns how many replies there will be. May be called several times before the first of them.
    [[nodiscard]] virtual unsigned write(const redis::server_facts& server, std::string& out) = 0;

    enum class next {
        read,    // there is another reply
        send,    // it is to be sent once more
        finish,  // the reply is known
    };
    [[nodiscard]] virtual next on_reply(const redis::reply_view& reply) = 0;
    [[nodiscard]] virtual core::reply on_problem(const redis::failure& why) const = 0;

    // After `finish`.
    [[nodiscard]] virtual core::reply take() = 0;

    // A local: server is started for it: on one that was stopped nothing is held.
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
    bool corrected_ = false;                // the time
    bool mend_;                             // a bare one may have begun the fence anew
    std::optional<std::uint64_t> trusted_;  // the smallest fence that is, while it is a bare one
    std::optional<bool> taken_;             // by that
    core::acquire_reply got_;
};

// A question about one hold.
class hold_call final : public server_call {
public:
    using question = std::variant<core::count_request, core::extend_request, core::check_request,
                                  core::release_request, core::keep_request>;
    explicit hold_call(question what);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return std::move(got_); }

private:
    question what_;
    script_form form_;
    core::reply got_;
};

// Many leases, in as few calls of the script as possible.
class renew_call final : public server_call {
public:
    explicit renew_call(const core::renew_request& what);

    [[nodiscard]] unsigned write(const redis::server_facts& server, std::string& out) override;
    [[nodiscard]] next on_reply(const redis::reply_view& reply) override;
    [[nodiscard]] core::reply on_problem(const redis::failure& why) const override;
    [[nodiscard]] core::reply take() override { return in_order(got_); }

private:
    // Leases that go in one call: all of one layout.
    struct part {
        std::size_t begin;
        std::size_t size;
        script_form form;
    };
    [[nodiscard]] std::span<const core::extend_request> leases_of(const part& which) const;
    void on_part(const part& which, const redis::reply_view& reply);
    [[nodiscard]] core::renew_request::reply in_order(const core::renew_request::reply& got) const;

    std::vector<core::extend_request> leases_;  // those of one layout stand together
    std::vector<std::size_t> places_;           // where each of them stood in the request
    std::vector<part> parts_;                   // of what is written now
    std::size_t answered_ = 0;                  // so many of them
    std::vector<part> again_;                   // to be sent once more
    core::renew_request::reply got_;
};

// The call for any request.
using any_call = std::variant<acquire_call, hold_call, renew_call>;
[[nodiscard]] any_call make_call(core::request what, server_memory& memory);
[[nodiscard]] server_call& call_in(any_call& any);

}  // namespace pawl::store
