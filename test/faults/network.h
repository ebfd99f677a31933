// A network namespace of this process's own, with only a loopback device, in which nft drops
// packets. Nothing outside notices. Processes that are started later live in it too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pawl::faults {

// Who sends and receives: the ports on which a server listens, and the address from which it
// connects to others (empty: it does not).
struct endpoint {
    std::vector<std::uint16_t> ports;
    std::string source;
};

class network {
public:
    // Moves this process into a new namespace, with mounts of its own too. Must be called before
    // any thread is started. Throws if the system does not allow it, or has no nft.
    network();

    // Each lasts until pass().
    void drop_to(const endpoint& target);    // nothing reaches it
    void drop_from(const endpoint& target);  // nothing comes from it
    void drop_both(const endpoint& target);
    void drop_from_servers(const endpoint& target);  // both ways; clients still reach it
    void half_open(const endpoint& target);  // connections are accepted, nothing else passes
    void lose(const endpoint& target, int percent);   // packets; TCP sends them again, later
    void reset(const endpoint& target, int percent);  // connections are cut at random

    // New connections of clients to one port of 127.0.0.1 go to another one. A client does not notice.
    void lead(std::uint16_t from, std::uint16_t to);

    void pass();

private:
    void add(const std::vector<std::string>& rules) const;
};

}  // namespace pawl::faults
