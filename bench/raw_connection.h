// A bare blocking connection to a server: requests are prepared in advance, and replies are read
// line by line. It measures the minimum cost of a lock.
#pragma once

#include "support/socket.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace pawl::bench {

// The bytes of a request.
[[nodiscard]] std::string request(std::initializer_list<std::string_view> words);

// Connected and blocking, to redis://127.0.0.1:PORT or unix:PATH. Throws if that fails.
[[nodiscard]] test::socket_fd open_socket(const std::string& url);

void send_all(const test::socket_fd& socket, std::string_view bytes);

class raw_connection {
public:
    // Throws if that fails. Each call throws if the server sends nothing for seconds.
    explicit raw_connection(const std::string& url);
    raw_connection(const raw_connection&) = delete;
    raw_connection& operator=(const raw_connection&) = delete;

    void send(std::string_view bytes);

    // The next line without its end. Valid until the next call.
    [[nodiscard]] std::string_view read_line();

    // Sends a request and returns the first line of its reply. Throws if that is an error.
    std::string_view ask(std::string_view bytes);

    // The same for a reply that is a string.
    [[nodiscard]] std::string ask_text(std::string_view bytes);

    // Loads a script and returns its name for EVALSHA.
    [[nodiscard]] std::string load(std::string_view script);

    // The next line, if it has been received already.
    [[nodiscard]] std::optional<std::string_view> line_at_hand();

    // Receives what has arrived, without waiting. False if there is nothing.
    bool receive_now() { return receive(MSG_DONTWAIT); }

    // For poll().
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }

    // From then on replies are those of RESP3.
    void speak_resp3();

    // The next line if it arrives within the limit.
    [[nodiscard]] std::optional<std::string_view> line_within(std::chrono::milliseconds limit);

    // From then on the connection only receives messages of this channel. Each message is `notice`,
    // so its size is known, and nothing needs to be parsed.
    void subscribe(std::string_view channel);
    static constexpr std::string_view notice = "1";

    void await_message();

    // Drops the messages that have arrived already, without waiting.
    void drop_messages();

private:
    [[nodiscard]] bool receive(int flags);
    [[nodiscard]] std::string_view waiting() const noexcept;

    test::socket_fd socket_;
    std::array<char, 65536> buffer_;
    std::size_t from_ = 0;
    std::size_t to_ = 0;
    std::size_t message_size_ = 0;
};

}  // namespace pawl::bench
