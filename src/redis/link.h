// One connection to a server, as a machine that never blocks.
//
//   resolving ──▶ connecting ──▶ securing (TLS) ──▶ greeting ──▶ ready ──▶ closed
//
// Whoever owns it waits for fd() to be ready for wanted() and then calls advance(). A blocking
// caller waits with poll(2), the client's event loop with epoll(7); all else they share.
#pragma once

#include "base/clock.h"
#include "common/unique_fd.h"
#include "redis/address_race.h"
#include "redis/failure.h"
#include "redis/handshake.h"
#include "redis/resolve.h"
#include "redis/resp.h"
#include "redis/tls.h"
#include "redis/url.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl::redis {

class link {
public:
    // `config` and `tls` (null unless the address wants it) must outlive the link. `host` is the
    // looking up of the host, if it has one. A local: address must have been turned into a Unix
    // socket's. `until`: when the caller gives up; the addresses of the host share that time.
    link(const server_config& config, const tls_context* tls, std::optional<resolution> host,
         base::boot_time until);

    enum class state { resolving, connecting, securing, greeting, ready, closed };

    [[nodiscard]] state now() const noexcept { return state_; }

    // What to wait for, and for which of POLLIN and POLLOUT. The descriptor may differ after each
    // advance() until the link is ready.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] short wanted() const noexcept;

    // Does all that can be done without waiting.
    void advance();

    // For one who waits in his own thread, once the link is ready: from then on wait_and_read() waits
    // for bytes, for about `longest`, and reads them, in the way that costs least: whether he is `alone`,
    // or others of this client wait too. False if none came.
    void may_wait(std::chrono::milliseconds longest);
    [[nodiscard]] bool wait_and_read(bool alone);

    // Queues bytes and writes what the socket takes. Only when ready.
    void send(std::string_view requests);

    // The next reply that has been read, or out-of-band message (a push); nothing if there is none
    // yet. Valid until the next call of either.
    [[nodiscard]] std::optional<reply_view> next_message();

    // The same, but out-of-band messages are read over.
    [[nodiscard]] std::optional<reply_view> next_reply();

    [[nodiscard]] const server_facts& facts() const noexcept { return handshake_.facts(); }

    // When closed.
    [[nodiscard]] const failure& problem() const noexcept { return problem_; }

    // Why the caller gives up before it is ready.
    [[nodiscard]] failure not_ready_in_time() const;

    // The descriptor stays until the link is destroyed: whoever watches it ends that first.
    void close(failure why);

private:
    void try_resolve();
    void connect_to(const std::vector<socket_address>& addresses);
    void try_connect();
    [[nodiscard]] bool is_right_peer();
    void secure();
    void greet();
    void on_greeting(handshake::status status);
    void read_greetings();
    void queue(std::string_view plain_text);
    void flush();
    [[nodiscard]] std::size_t write(std::string_view bytes);
    void fill();
    enum class amount { nothing, some, all };
    amount read_once(int flags);
    void accept_bytes(std::string_view bytes);
    [[nodiscard]] bool is_right_protocol(char first_byte);
    void hang_up(std::string how);
    void fail_system(const std::string& what, int error);

    const address* where_;
    base::boot_time until_;
    std::chrono::milliseconds longest_wait_{};
    const tls_context* tls_context_;
    state state_ = state::resolving;
    std::optional<resolution> resolution_;
    std::optional<address_race> race_;  // while connecting
    common::unique_fd socket_;
    std::unique_ptr<tls_session> tls_;
    handshake handshake_;
    reply_parser parser_;
    std::string output_;  // for the socket
    std::size_t output_sent_ = 0;
    std::string input_;  // plain text from the server
    std::size_t input_read_ = 0;
    bool heard_ = false;       // the server has said something
    bool hung_up_ = false;     // sending has failed
    bool handed_out_ = false;  // the reply at input_read_ was given to the caller
    failure problem_{failure_kind::unreachable, {}};
};

}  // namespace pawl::redis
