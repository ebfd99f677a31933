// A proxy in front of a server that records requests and replies. So a raw socket can send the same
// bytes as pawl, without a second copy of the protocol.
#pragma once

#include "support/socket.h"
#include "support/temp_dir.h"

#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pawl::bench {

// What a client wrote before it read anything, and what it read before it wrote again.
struct exchange {
    std::string sent;
    std::string received;
};

class recorder {
public:
    explicit recorder(std::string server_url);
    ~recorder();
    recorder(const recorder&) = delete;
    recorder& operator=(const recorder&) = delete;

    // On a Unix socket, even if the server is on TCP.
    [[nodiscard]] std::string url() const;

    // The exchanges of all connections since the last call, in order. Bytes are recorded before
    // they are passed on, so everything that a call has read is included when it returns.
    [[nodiscard]] std::vector<exchange> take();

    // Whether there were so many exchanges since the last take(), and the last one has an answer.
    [[nodiscard]] bool has_answered(std::size_t exchanges);

private:
    struct line {
        test::socket_fd client;
        test::socket_fd server;
        bool open = true;
    };

    void run();
    void accept_one();
    void pass_on(line& between, bool to_server);
    void note(std::string_view bytes, bool to_server);

    std::string server_url_;
    test::temp_dir dir_;
    test::socket_fd door_;
    test::socket_fd wake_;     // readable when the other end is closed: the thread ends then
    test::socket_fd sleeper_;  // that other end
    std::vector<line> lines_;  // used by the thread only
    std::mutex mutex_;
    std::vector<exchange> noted_;
    std::thread thread_;
};

}  // namespace pawl::bench
