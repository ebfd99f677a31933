// A real redis-server for one test: on 127.0.0.1 and on a private Unix socket, without persistence.
// It ends with its object at the latest.
//
//   state     what happens to clients
//   running   served
//   frozen    connections stay, and the kernel accepts new ones, but there are no replies
//   stopped   connections are closed, new ones are refused
#pragma once

#include "support/process.h"
#include "support/redis_probe.h"
#include "support/temp_dir.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pawl::test {

class tls_files;

enum class server_state { running, frozen, stopped };

struct server_options {
    std::vector<std::string> program{};   // and words before the config file; empty: redis-server
    bool sentinel = false;                // runs as a sentinel
    std::vector<std::string> config{};    // further lines of redis.conf
    const tls_files* tls = nullptr;       // also opens a TLS port; must outlive the server
    bool tls_client_certificate = false;  // asks for a client certificate there
    bool cluster = false;                 // a node of a Cluster
};

class redis_server {
public:
    // Returns when the server answers. Throws, with the server's log, if it does not.
    explicit redis_server(server_options options = {});
    ~redis_server();
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;

    void stop();     // SIGTERM, and SIGKILL if that is not enough
    void kill();     // SIGKILL
    void restart();  // stop() and start_again(); without any data, unless the config keeps some
    void freeze();   // SIGSTOP; returns when it has taken effect
    void thaw();     // SIGCONT

    // After stop() or kill(): on the same ports and socket, with what its folder has: the data, and
    // the config as the server itself rewrote it. Returns when the server answers.
    void start_again();

    [[nodiscard]] server_state state() const noexcept { return state_; }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return dir_.path(); }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::uint16_t tls_port() const noexcept { return tls_port_; }
    [[nodiscard]] std::uint16_t bus_port() const noexcept { return bus_port_; }  // of a Cluster
    [[nodiscard]] std::string socket_path() const { return dir_.file("redis.sock"); }
    [[nodiscard]] std::string url() const;       // redis://127.0.0.1:…
    [[nodiscard]] std::string unix_url() const;  // unix:…
    [[nodiscard]] std::string tls_url() const;   // rediss://127.0.0.1:…
    [[nodiscard]] std::string log() const;
    [[nodiscard]] pid_t pid() const noexcept { return process_->pid(); }

    // A new connection over the Unix socket, not authenticated.
    [[nodiscard]] redis_probe probe() const;

private:
    void choose_ports();
    void write_config() const;
    [[nodiscard]] bool start();
    [[nodiscard]] bool answers() const;

    server_options options_;
    temp_dir dir_;
    std::uint16_t port_ = 0;
    std::uint16_t tls_port_ = 0;
    std::uint16_t bus_port_ = 0;
    server_state state_ = server_state::stopped;
    std::unique_ptr<process> process_;
};

}  // namespace pawl::test
