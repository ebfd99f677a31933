#include "redis/tls.h"

#include <pawl/error.h>

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <limits>

namespace pawl::redis {
namespace {

std::string last_openssl_error()
{
    std::array<char, 256> text{};
    const auto code = ::ERR_get_error();
    ::ERR_clear_error();
    if (code == 0) return "unknown TLS error";
    ::ERR_error_string_n(code, text.data(), text.size());
    return text.data();
}

void require(bool good, const std::string& what)
{
    if (!good) throw error{errc::bad_argument, "tls: " + what + ": " + last_openssl_error()};
}

bool is_ip_address(const std::string& host)
{
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// Does the same as the macro SSL_set_tlsext_host_name, without its casts.
bool set_server_name(SSL* ssl, std::string name)
{
    return ::SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) ==
           1;
}

int clamped(std::size_t size)
{
    return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

}  // namespace

tls_context::tls_context(const tls_options& options, const std::string& host)
    : context_{::SSL_CTX_new(::TLS_client_method()), &::SSL_CTX_free},
      server_name_{options.server_name.empty() ? host : options.server_name},
      verify_{options.verify}
{
    ::ERR_clear_error();
    auto* const ctx = context_.get();
    require(ctx != nullptr, "cannot set up TLS");
    require(::SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1, "cannot ask for TLS 1.2");
    if (!options.ca_file.empty()) {
        require(::SSL_CTX_load_verify_locations(ctx, options.ca_file.c_str(), nullptr) == 1,
                "ca_file '" + options.ca_file + "' cannot be used");
    } else {
        require(::SSL_CTX_set_default_verify_paths(ctx) == 1, "no system certificates");
    }
    if (!options.cert_file.empty()) {
        require(::SSL_CTX_use_certificate_chain_file(ctx, options.cert_file.c_str()) == 1,
                "cert_file '" + options.cert_file + "' cannot be used");
        require(::SSL_CTX_use_PrivateKey_file(ctx, options.key_file.c_str(), SSL_FILETYPE_PEM) == 1,
                "key_file '" + options.key_file + "' cannot be used");
        require(::SSL_CTX_check_private_key(ctx) == 1, "key_file does not match cert_file");
    }
    ::SSL_CTX_set_verify(ctx, verify_ ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
}

tls_context::~tls_context() = default;

tls_session::tls_session(const tls_context& context)
    : ssl_{::SSL_new(context.context_.get()), &::SSL_free},
      input_{::BIO_new(::BIO_s_mem())},
      output_{::BIO_new(::BIO_s_mem())}
{
    require(ssl_ && input_ != nullptr && output_ != nullptr, "cannot set up a session");
    ::SSL_set_bio(ssl_.get(), input_, output_);
    ::SSL_set_connect_state(ssl_.get());
    const auto& name = context.server_name_;
    if (is_ip_address(name)) {
        // A numeric address is verified as an address, and not sent as a server name: RFC 6066
        // forbids that.
        require(::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl_.get()), name.c_str()) == 1,
                "cannot verify the address");
    } else {
        require(set_server_name(ssl_.get(), name), "bad server name");
        require(::SSL_set1_host(ssl_.get(), name.c_str()) == 1, "bad server name");
    }
}

tls_session::~tls_session() = default;

tls_session::status tls_session::failed()
{
    problem_ = last_openssl_error();
    if (const auto verdict = ::SSL_get_verify_result(ssl_.get()); verdict != X509_V_OK) {
        problem_ = std::string{"certificate: "} + ::X509_verify_cert_error_string(verdict);
    }
    return status::failed;
}

tls_session::status tls_session::handshake()
{
    ::ERR_clear_error();
    const int result = ::SSL_do_handshake(ssl_.get());
    if (result == 1) return status::ok;
    return ::SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ ? status::more : failed();
}

tls_session::status tls_session::receive(std::string_view cipher_text, std::string& out)
{
    if (!cipher_text.empty() &&
        ::BIO_write(input_, cipher_text.data(), clamped(cipher_text.size())) <= 0) {
        return failed();
    }
    // During the handshake, the bytes are only stored for it.
    if (::SSL_is_init_finished(ssl_.get()) != 1) return status::ok;
    std::array<char, 16384> chunk{};
    while (true) {
        ::ERR_clear_error();
        const int got = ::SSL_read(ssl_.get(), chunk.data(), clamped(chunk.size()));
        if (got > 0) {
            out.append(chunk.data(), static_cast<std::size_t>(got));
            continue;
        }
        switch (::SSL_get_error(ssl_.get(), got)) {
        case SSL_ERROR_WANT_READ: return status::ok;
        case SSL_ERROR_ZERO_RETURN: return status::closed;
        default: return failed();
        }
    }
}

tls_session::status tls_session::send(std::string_view plain_text)
{
    while (!plain_text.empty()) {
        ::ERR_clear_error();
        const int sent = ::SSL_write(ssl_.get(), plain_text.data(), clamped(plain_text.size()));
        if (sent <= 0) return failed();
        plain_text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return status::ok;
}

void tls_session::take_output(std::string& out)
{
    std::array<char, 16384> chunk{};
    for (int got = 0; (got = ::BIO_read(output_, chunk.data(), clamped(chunk.size()))) > 0;) {
        out.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace pawl::redis
