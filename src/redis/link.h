// One connection to a server, as a state machine that never blocks.
//
//   resolving ──▶ connecting ──▶ securing (TLS) ──▶ greeting ──▶ ready ──▶ closed
//
// The owner waits until fd() is ready for wanted(), and then calls advance(). A blocking caller
// waits with poll(2), the client's event loop with epoll(7). They share the rest.
#pragma once

#include "base/clock.h"
#include "common/unique_fd.h"
#include "observe/traffic.h"
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
    // `config` and `tls` (null for an address without TLS) must outlive the link. `host` is the
    // lookup of the host name, if there is one. A local: address must have been replaced by that of
    // the Unix socket. `until`: when the caller gives up. The addresses of the host share that
    // time.
    link(const server_config& config, const tls_context* tls, std::optional<resolution> host,
         base::boot_time until);
    ~link();
    link(const link&) = delete;
    link& operator=(const link&) = delete;

    enum class state { resolving, connecting, securing, greeting, ready, closed };

    [[nodiscard]] state now() const noexcept { return state_; }

    // The descriptor to wait for, and whether for POLLIN or POLLOUT. The descriptor may change
    // after each advance() until the link is ready.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] short wanted() const noexcept;

    // Does everything that can be done without waiting.
    void advance();

    // For a blocking caller, when the link is ready. After may_wait(), wait_and_read() waits for
    // bytes, for about `longest`, and reads them. The cheapest way to wait depends on whether the
    // caller is `alone`, or other callers of this client wait too. False if no bytes came.
    void may_wait(std::chrono::milliseconds longest);
    [[nodiscard]] bool wait_and_read(bool alone);

    // Queues bytes and writes as many as the socket takes. Only when ready.
    void send(std::string_view requests);

    // The next message that has been read: a reply, or a push message. Nothing if there is none
    // yet. Valid until the next call of next_message() or next_reply().
    [[nodiscard]] std::optional<reply_view> next_message();

    // The same, but push messages are skipped.
    [[nodiscard]] std::optional<reply_view> next_reply();

    [[nodiscard]] const server_facts& facts() const noexcept { return handshake_.facts(); }

    // When closed: why.
    [[nodiscard]] const failure& problem() const noexcept { return problem_; }

    // The failure to report when the caller's time is up before the link is ready.
    [[nodiscard]] failure not_ready_in_time() const;

    // The descriptor stays open until the link is destroyed. Before that, the caller must stop
    // watching it.
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
    void count_end();

    const address* where_;
    observe::traffic* traffic_;  // null: nothing is counted
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
    bool heard_ = false;       // the server has sent something
    bool hung_up_ = false;     // sending has failed
    bool handed_out_ = false;  // the reply at input_read_ was given to the caller
    failure problem_{failure_kind::unreachable, {}};
};

}  // namespace pawl::redis
