// Certificates for a test, created with the openssl command in a temporary directory: an authority,
// a server and a client with certificates of that authority, and a second, unrelated authority.
#pragma once

#include "support/temp_dir.h"

#include <string>

namespace pawl::test {

class tls_files {
public:
    tls_files();

    [[nodiscard]] std::string ca() const { return dir_.file("ca.crt"); }
    [[nodiscard]] std::string server_cert() const { return dir_.file("server.crt"); }
    [[nodiscard]] std::string server_key() const { return dir_.file("server.key"); }
    [[nodiscard]] std::string client_cert() const { return dir_.file("client.crt"); }
    [[nodiscard]] std::string client_key() const { return dir_.file("client.key"); }
    [[nodiscard]] std::string other_ca() const { return dir_.file("other.crt"); }

private:
    void make_authority(const std::string& name) const;
    void make_signed(const std::string& name, const std::string& section) const;

    temp_dir dir_;
};

}  // namespace pawl::test
