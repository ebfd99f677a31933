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

namespace pawl::redis {

class transport {
public:
    transport() = default;
    virtual ~transport() = default;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;

    // Writes a request in the way that this server understands.
    using writer = std::function<void(const server_facts&, std::string& out)>;

    struct waiting {
        base::boot_time until;
        const base::interrupt* stop{};  // may be null
        bool may_start{};               // the local: server, if that is what it is
    };
    struct unanswered {
        failure why;
        bool sent{};  // the server may have got the request
    };
    // From any thread, and in that thread: asks, and waits for the reply, which `read` gets.
    [[nodiscard]] virtual std::optional<unanswered> call(
        const writer& request, const waiting& how,
        const std::function<void(const reply_view&)>& read) = 0;

    // On the client's scheduler only: asks on the one connection that is shared. `done` is called on
    // it too, later and once, unless the transport is destroyed first; exactly one of the pointers is
    // set. Late replies are waited for, but silence for longer than `patience` may be taken for the
    // end of the connection.
    using reader = std::function<void(const reply_view*, const failure*)>;
    virtual void submit(writer request, std::chrono::milliseconds patience, reader done) = 0;

    // On the client's scheduler only: makes that connection before it is needed.
    virtual void connect() = 0;

    // For messages: where the server is, without any password.
    [[nodiscard]] virtual const std::string& shown() const noexcept = 0;
};

}  // namespace pawl::redis
