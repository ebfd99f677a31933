// A TCP proxy on 127.0.0.1 in front of a server. It causes the faults of a network.
//
// Streams stay streams: when a connection has lost bytes in one direction, nothing more passes in
// that direction, as with real TCP. Bytes that were only held back arrive later, even if the sender
// has closed the connection meanwhile.
//
//   fault            client → server        server → client        connections
//   pass             forwarded              forwarded              stay
//   delay            forwarded later        forwarded later        stay
//   drop_replies     forwarded              lost                   stay, but no more replies pass
//   drop_requests    lost                   forwarded              stay, but no more requests pass
//   half_open        held back              held back              stay, until the fault ends
//
// A fault lasts until the next one replaces it. Every call returns after it has taken effect.
//
// Independently of the fault, drop_pushes() drops some of the messages that the server publishes
// over RESP3. Each is dropped as a whole: the stream goes on as if it had never been sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pawl::test {

using request = std::vector<std::string>;
using request_predicate = std::function<bool(const request&)>;

// True for a request that has this key among its words.
[[nodiscard]] request_predicate touches(std::string key);

struct proxy_counts {
    // Requests that were received, whether forwarded or not, by their first word in capitals.
    std::map<std::string, std::size_t> requests;
    std::size_t accepted = 0;        // all connections so far
    std::size_t open = 0;            // connections that are open now
    std::size_t swallowed = 0;       // replies that a swallow rule took
    std::size_t pushes_dropped = 0;  // messages that drop_pushes() took

    [[nodiscard]] std::size_t of(const std::string& command) const;
};

class fault_proxy {
public:
    enum class ending { orderly, reset };
    enum class door {
        open,
        slammed,  // accepted and closed at once
        ignored,  // the kernel accepts, but there is never an answer
        closed,   // refused by the kernel
    };
    enum class afterwards { close, silence };

    // It connects to the server from this address of the loopback device.
    explicit fault_proxy(std::uint16_t target_port, std::string source = "127.0.0.1");
    ~fault_proxy();
    fault_proxy(const fault_proxy&) = delete;
    fault_proxy& operator=(const fault_proxy&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string url() const;

    void pass();
    void delay(std::chrono::milliseconds each_way);
    void drop_replies();
    void drop_requests();
    void half_open();

    // Ends all connections at once.
    void cut(ending how);

    // What happens to new connections. Existing ones stay.
    void set_door(door state);

    // New connections go to the server at this port, as when an address moves to another machine.
    // Existing connections stay with the old server.
    void lead_to(std::uint16_t port);

    // The next `count` requests for which `wanted` is true are forwarded, and the server executes
    // them, but their replies never arrive. Then the connection is closed, or stays open and
    // silent. A NOSCRIPT reply passes, because its request did nothing. `wanted` runs on the
    // proxy's thread.
    void swallow_reply_to(request_predicate wanted, std::size_t count, afterwards then);

    // Each published message (>3 message …) is dropped with this probability, from 0 to 1, until
    // the next call. With the same messages, the same ones are dropped in every run.
    void drop_pushes(double chance);

    [[nodiscard]] proxy_counts counts() const;

    // Waits until the counts satisfy `condition`. False if they do not within the limit.
    [[nodiscard]] bool wait_for(const std::function<bool(const proxy_counts&)>& condition,
                                std::chrono::milliseconds limit) const;

private:
    class loop;
    std::unique_ptr<loop> loop_;
};

}  // namespace pawl::test
