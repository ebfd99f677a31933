// The simulated Redis: the engine of the memory: store, with a clock that drifts and steps, and all
// faults of a server.
#pragma once

#include "sim/dice.h"
#include "sim/drifting_clock.h"
#include "sim/world.h"
#include "store/memory/engine.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

class server {
public:
    // `number`: which node of a quorum it is.
    server(world& world, drifting_clock clock, unsigned number = 0);

    using answer = std::function<void(std::string reply)>;

    // A connection, from the server's point of view.
    struct peer {
        std::uint64_t incarnation = 0;  // of the server that it was made to
        store::memory::session session = 0;
    };
    [[nodiscard]] peer greet() { return {incarnation_, ++last_session_}; }

    // As INFO shows it on such a connection.
    [[nodiscard]] std::string run_id_for(const peer& who) const;
    // It has been a node of a quorum for long.
    void establish();

    // A request has arrived on a connection. It is executed now, or when the server thaws. If the
    // server was restarted since, it is never executed.
    void receive(peer from, std::string request, answer done);

    // `deliver` is called for each message to the channels of this connection, with the bytes of
    // the protocol. It must not call the server.
    using delivery = std::function<void(std::string_view push)>;
    void on_push(const peer& to, delivery deliver);

    // The server has noticed that the connection has ended. It sends no more messages there, even
    // if a SUBSCRIBE was still under way.
    void forget(const peer& who);

    // Is told of every request before and after it is executed.
    struct witness {
        witness() = default;
        virtual ~witness() = default;
        witness(const witness&) = delete;
        witness& operator=(const witness&) = delete;
        virtual void before(const std::vector<std::string_view>& words) = 0;
        virtual void after(const std::vector<std::string_view>& words, std::string_view reply) = 0;
        // A message is sent to a client meanwhile.
        virtual void told(std::string_view push) = 0;
    };
    void watched_by(witness& who) noexcept { witness_ = &who; }

    // Changes the text of a script that is sent in full. This makes a mutant of a script.
    void rewrite_scripts(std::function<std::string(std::string_view)> how)
    {
        rewrite_ = std::move(how);
    }

    // ── Faults ──────────────────────────────────────────────────────────────────────────────────

    void freeze() noexcept { frozen_ = true; }
    void thaw();
    void go_down();
    void come_up() noexcept { up_ = true; }
    void load_for(nanoseconds duration) { loading_until_ = world_->now() + duration; }
    void step_clock(nanoseconds by) noexcept { step_ += by; }
    void take_snapshot();
    [[nodiscard]] bool has_snapshot() const noexcept { return snapshot_.has_value(); }
    void restore_snapshot();
    void erase(std::string_view key);
    void let_someone_look_on();  // until the server restarts
    [[nodiscard]] store::memory::engine& engine() noexcept { return engine_; }

    // ── The state, for the checker ──────────────────────────────────────────────────────────────

    [[nodiscard]] bool is_up() const noexcept { return up_; }
    [[nodiscard]] std::uint64_t incarnation() const noexcept { return incarnation_; }
    [[nodiscard]] std::chrono::microseconds clock() const;

    // The holder of the lock in this key, in any layout that has one. Nothing if the lock is free.
    [[nodiscard]] std::optional<std::string> holder_of(std::string_view key);

    // The leader, and the candidate that others read.
    struct term {
        std::string holder;
        std::string candidate;
        std::uint64_t fence = 0;
    };
    [[nodiscard]] std::optional<term> term_of(std::string_view key);

    // An object that several holders may enter, with all members: also those whose lease has ended, until a
    // script removes them.
    struct member {
        std::string holder;
        std::uint64_t weight = 0;
        std::chrono::milliseconds ends{};
    };
    struct members {
        std::vector<member> all;
        std::uint64_t out = 0;                  // the number that the server has
        std::optional<std::uint64_t> capacity;  // the same, of a semaphore
        std::uint64_t resize = 0;               // the number of its last resize
    };
    [[nodiscard]] members members_of(std::string_view key);

    // All holders whose lease has not ended, in any layout.
    [[nodiscard]] std::vector<std::string> holders_of(std::string_view key);
    // How long the last of these leases lasts.
    [[nodiscard]] std::chrono::milliseconds time_held(std::string_view key);
    [[nodiscard]] std::chrono::milliseconds ttl_of(std::string_view key);
    [[nodiscard]] std::vector<std::string> keys();
    [[nodiscard]] std::uint64_t number_in(std::string_view key);
    // All fields of a hash with their values.
    [[nodiscard]] std::map<std::string, std::string, std::less<>> fields_of(std::string_view key);
    struct waiter {
        std::string holder;
        std::string place;
    };
    [[nodiscard]] std::vector<waiter> waiters_in(std::string_view queue);
    // The waiters of a node of a quorum, in order.
    [[nodiscard]] std::vector<std::string> tickets_in(std::string_view key);
    [[nodiscard]] std::string place_in(std::string_view key, std::string_view whose);
    [[nodiscard]] bool has_listener(std::string_view channel)
    {
        return engine_.listeners(channel) > 0;
    }

private:
    struct waiting {
        peer from;
        std::string request;
        answer done;
    };
    void execute(waiting what);
    [[nodiscard]] std::string execute(store::memory::session from,
                                      const std::vector<std::string_view>& words);
    [[nodiscard]] std::vector<std::string_view> rewritten(std::vector<std::string_view> words);
    [[nodiscard]] std::string name_of_script(std::string_view text);
    [[nodiscard]] std::string ask(const std::vector<std::string_view>& words);

    world* world_;
    drifting_clock clock_;
    unsigned number_;
    nanoseconds step_{0};
    store::memory::engine engine_;
    witness* witness_ = nullptr;
    std::function<std::string(std::string_view)> rewrite_;
    std::map<std::string, std::string, std::less<>> changed_texts_;
    std::map<std::string, std::string, std::less<>> changed_names_;  // by the hash of the original
    bool up_ = true;
    bool frozen_ = false;
    nanoseconds loading_until_{0};
    std::uint64_t incarnation_ = 1;
    store::memory::session last_session_ = 0;
    std::map<store::memory::session, delivery> listeners_;
    std::deque<waiting> queue_;
    std::optional<store::memory::engine::snapshot> snapshot_;
};

}  // namespace pawl::sim
