// The connection to one server, over sockets or in memory.
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
#include <utility>

namespace pawl::redis {

// Receives the messages of this client's channel. Called on the client's scheduler.
class listener {
public:
    listener() = default;
    virtual ~listener() = default;
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    virtual void heard(std::string_view message) = 0;

    // Whether messages arrive from now on. After `false`, messages may have been missed.
    virtual void listening(bool now) = 0;
};

// Is told what happens to the shared connection, and to channels that are subscribed one by one. Called on the
// client's scheduler.
class channel_listener {
public:
    channel_listener() = default;
    virtual ~channel_listener() = default;
    channel_listener(const channel_listener&) = delete;
    channel_listener& operator=(const channel_listener&) = delete;

    // Nothing is subscribed on a new connection.
    virtual void connected(const server_facts& server) = 0;
    virtual void disconnected(const failure& why) = 0;

    // The subscription has begun, was refused, or has ended: the server may end it at any time.
    virtual void subscribed(std::string_view channel) = 0;
    virtual void refused(std::string_view channel, const failure& why) = 0;
    virtual void unsubscribed(std::string_view channel) = 0;

    virtual void heard(std::string_view message) = 0;
};

// A command about one channel.
enum class channel_command { subscribe, ssubscribe, sunsubscribe };

class transport {
public:
    transport() = default;
    virtual ~transport() = default;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;

    struct limits {
        std::chrono::milliseconds connect;
        std::chrono::milliseconds command;  // the longest wait for an answer
    };

    // Writes a request in the form that this server understands. Returns the number of replies:
    // one, unless the request has several commands.
    using writer = std::function<unsigned(const server_facts&, std::string& out)>;

    struct waiting {
        base::boot_time until;
        const base::interrupt* stop{};  // may be null
        bool may_start{};               // may start the server, if it is the local: server
    };
    // From any thread: sends the request and waits for the replies in the calling thread. `read` is
    // called for each reply.
    [[nodiscard]] virtual std::optional<failure> call(
        const writer& request, const waiting& how,
        const std::function<void(const reply_view&)>& read) = 0;

    // On the client's scheduler only: sends a request on the shared connection. `done` is called on
    // the scheduler too, later: for each reply, or once for the failure of the remaining replies.
    // It is not called if the transport is destroyed first. Exactly one of the pointers is set.
    // Late replies are waited for. But if nothing arrives for longer than `patience`, the
    // connection may be considered dead.
    using reader = std::function<void(const reply_view*, const failure*)>;
    virtual void submit(writer request, std::chrono::milliseconds patience, reader done) = 0;

    // The same for a request that makes the server wait before it executes the next one. Such requests
    // have a connection of their own, so that they do not delay the others.
    virtual void submit_apart(writer request, std::chrono::milliseconds patience, reader done)
    {
        submit(std::move(request), patience, std::move(done));
    }

    // From any thread: starts the server, if it is the local: server and was not started yet. Waits
    // for it, at most for the connect limit.
    [[nodiscard]] virtual std::optional<failure> prepare() { return std::nullopt; }

    // On the client's scheduler only, and without waiting: starts the local: server again, because
    // it may have been stopped. `done` is called on the scheduler, later, unless the transport is
    // destroyed first. Returns false and does nothing if it is not the local: server.
    using start_handler = std::function<void(const std::optional<failure>&)>;
    [[nodiscard]] virtual bool start_server(const start_handler& /*done*/) { return false; }

    // On the client's scheduler only: makes the shared connection before it is needed.
    virtual void connect() = 0;

    // On the client's scheduler only, once: subscribes to `channel` on the shared connection, now
    // and after each new connection. When the connection breaks, a new one is made after a pause. A
    // server that cannot send messages between replies (no RESP3) never sends any. `who` must
    // outlive the transport.
    virtual void listen(std::string channel, listener& who) = 0;

    // On the client's scheduler only, once, and instead of listen(): `who` is told of the shared connection. It
    // must outlive the transport. A connection that breaks is made again when there is something to send.
    virtual void watch_channels(channel_listener& /*who*/) {}

    // On the client's scheduler only: sends the command on the shared connection. The listener is told the outcome.
    // Only for a server that can send messages between replies.
    virtual void send_channel_command(channel_command /*what*/, const std::string& /*channel*/) {}

    // On the client's scheduler only, and not from a handler of this transport: closes all connections that are not in
    // use. Submitted requests fail. A later request connects again.
    virtual void hang_up() {}

    // For messages: the server's address, without a password.
    [[nodiscard]] virtual const std::string& shown() const noexcept = 0;
};

}  // namespace pawl::redis
