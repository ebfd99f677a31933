// A primary with replicas, watched by sentinels, all on 127.0.0.1. Ready when the constructor
// returns: every replica follows, and every sentinel knows all the others.
//
// Sentinels exchange news every 200 ms where the server allows it (7.0+), instead of every 2 or 10
// seconds. So a primary that was replaced is made a replica within about a second, not 10 seconds.
#pragma once

#include "support/redis_probe.h"
#include "support/redis_server.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl::test {

struct sentinel_options {
    std::size_t replicas = 2;
    std::size_t sentinels = 3;
    std::size_t quorum = 2;  // sentinels that must agree that the primary is down
    std::chrono::milliseconds down_after{500};
    std::string service = "pawl";
    std::string password{};                      // of the servers
    std::string sentinel_password{};             // of the sentinels
    std::vector<std::string> server_config{};    // e.g. min-replicas-to-write 1
    std::vector<std::string> sentinel_config{};  // further lines
    // Server i connects to others from 127.0.1.(i + 1), sentinel i from 127.0.2.(i + 1); Redis 7.0+.
    bool own_addresses = false;
    bool quick_news = true;  // false: the periods that a real installation has
    std::function<std::vector<std::string>(std::size_t)>
        program{};  // of each server; see server_options
    const tls_files* tls =
        nullptr;  // TLS for clients, replication and sentinels; must outlive the group
};

class sentinel_group {
public:
    explicit sentinel_group(sentinel_options options = {});

    // redis+sentinel://127.0.0.1:…,…/SERVICE, or rediss+sentinel://
    [[nodiscard]] std::string url() const;

    // The servers; the first one is the primary in the beginning.
    [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }
    [[nodiscard]] redis_server& server(std::size_t index) { return *servers_.at(index); }
    [[nodiscard]] std::size_t sentinels() const noexcept { return sentinels_.size(); }
    [[nodiscard]] redis_server& sentinel(std::size_t index) { return *sentinels_.at(index); }

    // New connections, authenticated if there is a password.
    [[nodiscard]] redis_probe probe(std::size_t index) const;
    [[nodiscard]] redis_probe sentinel_probe(std::size_t index) const;

    // The server that all running sentinels announce. Nothing if they disagree.
    [[nodiscard]] std::optional<std::size_t> announced() const;

    // The same, but waits until they agree, and throws if they never do.
    [[nodiscard]] std::size_t primary() const;

    // Each returns the server that was the primary. It stays so or away until a test says more:
    // server(i).thaw(), server(i).start_again().
    std::size_t kill_primary();
    std::size_t freeze_primary();

    // Tells the first running sentinel to replace the primary, which keeps running. Returns the
    // old primary at once.
    std::size_t failover();

    // Waits until all running sentinels announce another server than `old`, and that server says
    // that it is the primary. Returns it. Throws if that does not happen in time.
    std::size_t wait_for_new_primary(std::size_t old) const;

    // Waits until every running server but the primary follows the primary, and all sentinels
    // know of `size()` servers and are content with the primary.
    void wait_until_whole() const;

private:
    void start_servers();
    void start_sentinels();
    [[nodiscard]] bool whole() const;

    // Of a server or a sentinel: the port that others are told.
    [[nodiscard]] std::uint16_t port_of(const redis_server& one) const;

    sentinel_options options_;
    std::vector<std::unique_ptr<redis_server>> servers_;
    std::vector<std::unique_ptr<redis_server>> sentinels_;
};

}  // namespace pawl::test
