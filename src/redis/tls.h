// TLS as a filter between bytes: no socket in here, so blocking and asynchronous connections share it.
#pragma once

#include <pawl/options.h>

#include <memory>
#include <string>
#include <string_view>

// OpenSSL's own types; its headers stay in tls.cpp.
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

// One connection. Bytes from the network go in through receive(); bytes for the network come out of
// take_output(), which is to be asked after every call.
class tls_session {
public:
    explicit tls_session(const tls_context& context);
    ~tls_session();
    tls_session(const tls_session&) = delete;
    tls_session& operator=(const tls_session&) = delete;

    enum class status { ok, more, closed, failed };

    // Goes on with the handshake: ok when it is done, more when the peer's next bytes are needed.
    [[nodiscard]] status handshake();

    // Appends plain text to `out`: ok, closed or failed.
    [[nodiscard]] status receive(std::string_view cipher_text, std::string& out);

    // Encrypts. Only after the handshake.
    [[nodiscard]] status send(std::string_view plain_text);

    // Moves what is to be sent to the end of `out`.
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
