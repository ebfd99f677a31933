// The way to one server and back, whatever it is made of: sockets, or memory.
#pragma once

#include "base/clock.h"
#include "base/interrupt.h"
#include "redis/failure.h"
#include "redis/handshake.h"
#include "redis/resp.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::redis {

// Gets what is published to this client's channel. On the client's scheduler.
class listener {
public:
    listener() = default;
    virtual ~listener() = default;
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    virtual void heard(std::string_view message) = 0;

    // From now on messages arrive, or do not any more: some may have been missed then.
    virtual void listening(bool now) = 0;
};

class transport {
public:
    transport() = default;
    virtual ~transport() = default;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;

    struct limits {
        std::chrono::milliseconds connect;
        std::chrono::milliseconds command;  // no answer is waited for longer than that
    };

    // Writes a request in the way that this server understands. Returns how many replies there will
    // be: one, unless it is several commands.
    using writer = std::function<unsigned(const server_facts&, std::string& out)>;

    struct waiting {
        base::boot_time until;
        const base::interrupt* stop{};  // may be null
        bool may_start{};               // the local: server, if that is what it is
    };
    // From any thread, and in that thread: asks, and waits for the replies, of which `read` gets one
    // after the other.
    [[nodiscard]] virtual std::optional<failure> call(
        const writer& request, const waiting& how,
        const std::function<void(const reply_view&)>& read) = 0;

    // On the client's scheduler only: asks on the one connection that is shared. `done` is called on
    // it too, later, for each reply or once for what befell the rest of them, unless the transport is
    // destroyed first; exactly one of the pointers is set. Late replies are waited for, but silence
    // for longer than `patience` may be taken for the end of the connection.
    using reader = std::function<void(const reply_view*, const failure*)>;
    virtual void submit(writer request, std::chrono::milliseconds patience, reader done) = 0;

    // From any thread: starts the local: server, if that is what it is and has not been done; waits
    // for it, no longer than the limit for a connection.
    [[nodiscard]] virtual std::optional<failure> prepare() { return std::nullopt; }

    // On the client's scheduler only, and without waiting: starts the local: server once more, which
    // may have been stopped since. `done` is called on the scheduler, later, unless the transport is
    // destroyed first. False if that is not the server, and nothing is done.
    using start_handler = std::function<void(const std::optional<failure>&)>;
    [[nodiscard]] virtual bool start_server(const start_handler& /*done*/) { return false; }

    // On the client's scheduler only: makes that connection before it is needed.
    virtual void connect() = 0;

    // On the client's scheduler only, once: listens to `channel` on the shared connection, from now on
    // and whenever that was made anew; when it breaks it is made anew, after a pause. On a server
    // that cannot send messages between replies (no RESP3) nothing is ever heard. `who` must outlive
    // the transport.
    virtual void listen(std::string channel, listener& who) = 0;

    // For messages: where the server is, without any password.
    [[nodiscard]] virtual const std::string& shown() const noexcept = 0;
};

}  // namespace pawl::redis
