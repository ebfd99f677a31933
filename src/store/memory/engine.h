// A Redis server within the process, for simulations and tests. It has the same commands, scripts
// and errors, but no sockets, threads, clock or randomness of its own. The same requests at the
// same times always have the same replies.
//
//   state        what happens
//   running      requests are answered at once
//   memory full  commands that need memory are refused, as with maxmemory and noeviction
//
// It is not thread-safe. Replies are RESP3, whatever HELLO says. It follows Redis 7.0.15;
// test/integration/engine_differential_test.cpp compares the two.
#pragma once

#include "redis/resp.h"
#include "store/memory/keyspace.h"
#include "store/memory/subscriptions.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store::memory {

struct machine;

class engine {
public:
    // The wall clock of the server, since the epoch. It is read once for each request.
    using clock = std::function<std::chrono::microseconds()>;
    using session = memory::session;
    using snapshot = keyspace;

    explicit engine(clock now);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    // Executes one request, given as words, and appends its reply to `out`. SUBSCRIBE and
    // UNSUBSCRIBE are answered by one push message for each channel.
    void execute(session from, std::span<const std::string_view> words, std::string& out);

    // Executes requests in the form in which a client sends them. Returns the number of bytes used.
    // The rest is an incomplete request. Bytes that are not a request are answered with an error
    // and used up.
    std::size_t execute_bytes(session from, std::string_view bytes, std::string& out);

    // `deliver` is called for each message to a subscribed session, during the request that
    // publishes it. It must not call the engine.
    void on_push(subscriptions::delivery deliver);

    // The number of sessions that have subscribed to a channel.
    [[nodiscard]] std::size_t listeners(std::string_view channel) const;

    // Removes its subscriptions.
    void disconnect(session who);

    // Faults.
    void lose_data();              // removes all keys
    void flush_scripts();          // removes all scripts
    void restart(bool keep_data);  // removes scripts and subscriptions, and the keys unless kept
    void refuse_writes(bool full);
    // As if all clients listened at a replica: messages reach them, but PUBLISH and NUMSUB do not count them.
    void listeners_elsewhere(bool now);

    // What it says about its replicas (WAIT and INFO replication).
    void has_replicas(unsigned connected, unsigned acknowledging);
    // It becomes a replica, which refuses to write, or a primary again.
    void make_primary(bool now);
    [[nodiscard]] bool is_primary() const;

    // Saves and restores the keys: a restart from an old snapshot.
    [[nodiscard]] snapshot save() const;
    void restore(const snapshot& then);

    // INFO shows it. A real server has another one after each start.
    void set_run_id(std::string id);

    // All existing keys, sorted by name.
    [[nodiscard]] std::vector<keyspace::key_info> keys();

private:
    void look_at_clock();

    clock now_;
    std::unique_ptr<machine> machine_;
    redis::reply_parser parser_;
    std::vector<std::string_view> words_;
};

}  // namespace pawl::store::memory
