#include "support/tls_files.h"

#include "support/process.h"

#include <stdexcept>
#include <vector>

namespace pawl::test {

namespace {

// The machine's own openssl.cnf is not used, because distributions differ in its contents.
constexpr std::string_view config = R"(
[req]
prompt = no
distinguished_name = name
[name]
CN = pawl test
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = IP:127.0.0.1, DNS:localhost
[client]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = clientAuth
)";

void openssl(std::vector<std::string> words)
{
    words.insert(words.begin(), "openssl");
    process command{std::move(words)};
    if (command.wait(std::chrono::seconds{30}) != exited(0)) {
        throw std::runtime_error{"openssl failed: " + command.err()};
    }
}

}  // namespace

tls_files::tls_files()
{
    write_file(dir_.file("config"), config);
    make_authority("ca");
    make_authority("other");
    make_signed("server", "server");
    make_signed("client", "client");
}

void tls_files::make_authority(const std::string& name) const
{
    openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-config", dir_.file("config"), "-extensions", "authority", "-subj",
             "/CN=pawl test authority " + name, "-keyout", dir_.file(name + ".key"), "-out",
             dir_.file(name + ".crt")});
}

void tls_files::make_signed(const std::string& name, const std::string& section) const
{
    openssl({"req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-config", dir_.file("config"), "-subj", "/CN=pawl test " + name, "-keyout",
             dir_.file(name + ".key"), "-out", dir_.file(name + ".csr")});
    openssl({"x509", "-req", "-in", dir_.file(name + ".csr"), "-CA", ca(), "-CAkey",
             dir_.file("ca.key"), "-CAcreateserial", "-days", "2", "-extfile", dir_.file("config"),
             "-extensions", section, "-out", dir_.file(name + ".crt")});
}

}  // namespace pawl::test
