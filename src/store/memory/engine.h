// A Redis server within the process, for simulations and tests: the same commands, the same scripts,
// the same errors, without sockets, threads, clock or chance of its own. The same requests at the
// same times have the same replies, always.
//
//   state        what happens
//   running      requests are answered at once
//   memory full  what would take memory is refused, as with maxmemory and noeviction
//
// It is not thread-safe. Replies are RESP3, whatever HELLO says. Redis 7.0.15 is the model;
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
    // The wall clock of the server, since the epoch. Asked once for each request.
    using clock = std::function<std::chrono::microseconds()>;
    using session = memory::session;
    using snapshot = keyspace;

    explicit engine(clock now);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    // One request, as words. Appends its reply to `out`. A SUBSCRIBE or UNSUBSCRIBE is answered by
    // one push message for each channel.
    void execute(session from, std::span<const std::string_view> words, std::string& out);

    // Requests as a client writes them, one after another. Returns how many bytes they were: the
    // rest is an unfinished request. What is no request is answered by an error, and taken as a
    // whole.
    std::size_t execute_bytes(session from, std::string_view bytes, std::string& out);

    // `deliver` gets each message for a subscribed session, within the request that published it.
    // It must not call the engine.
    void on_push(subscriptions::delivery deliver);

    // How many listen to a channel.
    [[nodiscard]] std::size_t listeners(std::string_view channel) const;

    // Forgets its subscriptions.
    void disconnect(session who);

    // Faults.
    void lose_data();              // all keys are gone
    void flush_scripts();          // all scripts are
    void restart(bool keep_data);  // scripts and subscriptions are, and the keys unless kept
    void refuse_writes(bool full);

    // The keys as they are, and as they were: a restart from an old snapshot.
    [[nodiscard]] snapshot save() const;
    void restore(const snapshot& then);

    // All keys that live, by name.
    [[nodiscard]] std::vector<keyspace::key_info> keys();

private:
    void look_at_clock();

    clock now_;
    std::unique_ptr<machine> machine_;
    redis::reply_parser parser_;
    std::vector<std::string_view> words_;
};

}  // namespace pawl::store::memory
