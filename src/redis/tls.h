// TLS as a filter of bytes, without a socket. Blocking and asynchronous connections share it.
#pragma once

#include <pawl/options.h>

#include <memory>
#include <string>
#include <string_view>

// OpenSSL's own types. Its headers are included in tls.cpp only.
struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace pawl::redis {

// The certificates and settings of a client, read once.
class tls_context {
public:
    // Throws pawl::error (bad_argument) if a file cannot be used.
    tls_context(const tls_options& options, const std::string& host);
    ~tls_context();
    tls_context(const tls_context&) = delete;
    tls_context& operator=(const tls_context&) = delete;

private:
    friend class tls_session;
    std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
    std::string server_name_;
    bool verify_;
};

// One connection. Bytes from the network go in through receive(). Bytes for the network come out of
// take_output(), which must be called after every other call.
class tls_session {
public:
    explicit tls_session(const tls_context& context);
    ~tls_session();
    tls_session(const tls_session&) = delete;
    tls_session& operator=(const tls_session&) = delete;

    enum class status { ok, more, closed, failed };

    // Continues the handshake: `ok` when it is done, `more` when it needs bytes from the peer.
    [[nodiscard]] status handshake();

    // Appends plain text to `out`: ok, closed or failed.
    [[nodiscard]] status receive(std::string_view cipher_text, std::string& out);

    // Encrypts. Only after the handshake.
    [[nodiscard]] status send(std::string_view plain_text);

    // Appends the bytes to be sent to `out`, and removes them here.
    void take_output(std::string& out);

    // After `failed`.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

private:
    [[nodiscard]] status failed();

    std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
    bio_st* input_;   // owned by ssl_
    bio_st* output_;  // owned by ssl_
    std::string problem_;
};

}  // namespace pawl::redis
