// The network between one simulated process and the server. Connections deliver in order, each at
// its own speed. They break, fall silent in one direction or both, and may deliver a request long
// after its owner has given up.
//
//   the shared connection           the server forgets its listener
//   breaks, or the server restarts  at once
//   is given up, its process dies   when the server has been told
//   falls silent                    when the client has made another, or after half a minute
#pragma once

#include "redis/transport.h"
#include "sim/dice.h"
#include "sim/process.h"
#include "sim/server.h"
#include "sim/world.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

// The current state of the network between a process and the server.
struct network {
    nanoseconds delay{100'000};  // one way; each message draws up to as much again
    double spike = 0;            // probability that a message takes up to `longest_spike`
    nanoseconds longest_spike{0};
    double late = 0;  // probability that a request is delayed by up to `latest`
    nanoseconds latest{0};
    bool requests_lost = false;
    bool replies_lost = false;
    double push_loss = 0;  // probability that only a published message is lost
    double push_late = 0;  // … is delayed by up to `latest`, and overtaken by replies
    // Probability that a vote is handed back by a request that is delayed by up to `latest`, and that is the last one on
    // its connection.
    double stray = 0;
};

class transport final : public redis::transport {
public:
    struct limits {
        std::chrono::milliseconds connect;
        std::chrono::milliseconds command;
    };
    transport(world& world, server& server, std::shared_ptr<process> where, network& net, dice dice,
              limits within);
    ~transport() override;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;

    std::optional<redis::failure> call(
        const writer& request, const waiting& how,
        const std::function<void(const redis::reply_view&)>& read) override;
    void submit(writer request, std::chrono::milliseconds patience, reader done) override;
    void connect() override;
    void listen(std::string channel, redis::listener& who) override;
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }

    // Is called for every request: when it is sent, and before, when it is given to the shared
    // connection.
    using onlooker = std::function<void(const std::vector<std::string_view>& words)>;
    void on_send(onlooker who) { on_send_ = std::move(who); }
    void on_submit(onlooker who) { on_submit_ = std::move(who); }

    // Is called for every request of a thread before there is a connection, and for everything that
    // arrives.
    void on_call(onlooker who) { on_call_ = std::move(who); }
    void on_arrival(std::function<void()> who) { on_arrival_ = std::move(who); }

    // All connections break. Their users notice it, or not if `silently`.
    void break_all(bool silently);

private:
    struct connection;
    struct pending;
    using connection_ptr = std::shared_ptr<connection>;

    [[nodiscard]] connection_ptr dial();
    [[nodiscard]] std::vector<std::string> packets_of(const std::string& request);
    static void show_words(const writer& request, const onlooker& to);
    [[nodiscard]] redis::server_facts facts_of(const connection& what) const;
    [[nodiscard]] std::optional<redis::failure> wait_until_open(connection& what,
                                                                const waiting& how);
    void send(const connection_ptr& on, std::string request,
              std::function<void(std::string)> on_reply);
    void send_back(const connection_ptr& on, std::function<void()> arrives);
    void fall_silent(const connection_ptr& on);
    void send_waiting();
    void subscribe();
    void heard(const std::string& push);
    void forget(const connection_ptr& ended, nanoseconds after);
    void plan_to_connect();
    void answer(const std::string& reply);
    void look_after(const connection_ptr& on);
    void close_shared(const redis::failure& why);
    [[nodiscard]] nanoseconds draw_delay();

    world* world_;
    server* server_;
    std::shared_ptr<process> where_;
    network* net_;
    dice dice_;
    limits limits_;
    std::string shown_ = "sim:";
    onlooker on_send_;
    onlooker on_submit_;
    onlooker on_call_;
    std::function<void()> on_arrival_;
    std::shared_ptr<bool> alive_;  // set to false at the end, for the planned events
    std::vector<std::weak_ptr<connection>> all_;
    std::vector<connection_ptr> idle_;
    connection_ptr shared_;
    std::deque<pending> unsent_;
    std::deque<pending> sent_;
    std::uint64_t looks_ = 0;  // only the last planned look counts

    redis::listener* listener_ = nullptr;  // null: there is none
    std::string channel_;
    bool listening_ = false;
    std::vector<connection_ptr> silent_;  // given up, and the server does not know it
    std::chrono::milliseconds pause_;     // before connecting again
    std::uint64_t pauses_ = 0;            // only the last one counts
};

}  // namespace pawl::sim
