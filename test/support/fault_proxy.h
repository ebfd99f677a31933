// A TCP proxy on 127.0.0.1 in front of a server, which does to the bytes what networks do.
//
// Streams stay streams: a connection that has lost bytes in one direction never carries any more in
// that direction, as no TCP connection could. What was merely held back arrives later, even when
// the one who sent it has closed the connection in the meantime.
//
//   fault            client → server        server → client        connections
//   pass             forwarded              forwarded              stay
//   delay            forwarded later        forwarded later        stay
//   drop_replies     forwarded              lost                   stay, mute from the first loss on
//   drop_requests    lost                   forwarded              stay, deaf from the first loss on
//   half_open        held back              held back              stay, until the fault ends
//
// A fault lasts until the next one replaces it. Every call returns when it has taken effect.
//
// Besides, and whatever the fault, drop_pushes() loses some of the messages that the server
// publishes over RESP3, each as a whole: the stream goes on as if they had never been sent.
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

// True for a request that runs something on this key: the key is among its words.
[[nodiscard]] request_predicate touches(std::string key);

struct proxy_counts {
    std::map<std::string, std::size_t> requests;  // by first word, in capitals; seen, not forwarded
    std::size_t accepted = 0;                     // connections, ever
    std::size_t open = 0;                         // connections, now
    std::size_t swallowed = 0;                    // replies that a swallow rule took
    std::size_t pushes_dropped = 0;               // messages that drop_pushes() took

    [[nodiscard]] std::size_t of(const std::string& command) const;
};

class fault_proxy {
public:
    enum class ending { orderly, reset };
    enum class door {
        open,
        slammed,  // accepted and closed at once
        ignored,  // the kernel accepts, nobody ever answers
        closed,   // refused by the kernel
    };
    enum class afterwards { close, silence };

    explicit fault_proxy(std::uint16_t target_port);
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

    // Ends all connections now.
    void cut(ending how);

    // What new connections meet. Those that are there stay.
    void set_door(door state);

    // New connections lead to the server at this port, as when an address moves to another machine.
    // Those that are there stay with the old one.
    void lead_to(std::uint16_t port);

    // The next `count` requests for which `wanted` is true are forwarded, and run by the server, but
    // their replies never arrive; then the connection is closed, or stays and is mute. A NOSCRIPT
    // reply passes: its request did nothing. `wanted` runs on the proxy's thread.
    void swallow_reply_to(request_predicate wanted, std::size_t count, afterwards then);

    // Each message that was published (>3 message …) is lost with this chance, from 0 to 1, until
    // further notice. The same messages lose the same ones in every run.
    void drop_pushes(double chance);

    [[nodiscard]] proxy_counts counts() const;

    // Waits until the counts satisfy `condition`; false when they do not within the limit.
    [[nodiscard]] bool wait_for(const std::function<bool(const proxy_counts&)>& condition,
                                std::chrono::milliseconds limit) const;

private:
    class loop;
    std::unique_ptr<loop> loop_;
};

}  // namespace pawl::test
