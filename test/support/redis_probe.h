// A separate small client (hiredis) with which a test inspects the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct redisContext;

namespace pawl::test {

// One reply.
struct redis_value {
    enum class kind { nil, error, string, integer, array };

    kind type = kind::nil;
    std::string text;  // string, status and error
    std::int64_t integer = 0;
    std::vector<redis_value> items;

    [[nodiscard]] bool is_nil() const noexcept { return type == kind::nil; }
    [[nodiscard]] bool is_error() const noexcept { return type == kind::error; }
    [[nodiscard]] std::vector<std::string> texts() const;  // of the items
};

class redis_probe {
public:
    // Connects at once. Throws if that fails. Every call throws if no reply comes in time.
    static redis_probe unix_socket(const std::string& path);
    static redis_probe tcp(std::uint16_t port);

    ~redis_probe();
    redis_probe(redis_probe&&) noexcept;
    redis_probe& operator=(redis_probe&&) noexcept;

    // Words may contain any bytes. An error reply is a normal value.
    redis_value command(std::initializer_list<std::string_view> words);
    redis_value command(const std::vector<std::string>& words);

    // The same, but an error reply throws. For commands that must succeed for the test to make
    // sense.
    redis_value must(std::initializer_list<std::string_view> words);

    [[nodiscard]] bool exists(std::string_view key);
    [[nodiscard]] std::string get(std::string_view key);                    // empty: none
    [[nodiscard]] std::chrono::milliseconds ttl(std::string_view key);      // negative: none
    [[nodiscard]] std::vector<std::string> keys(std::string_view pattern);  // sorted

    // How often this command was called since the last reset_stats(), by all clients and scripts.
    [[nodiscard]] std::int64_t calls(std::string_view command);
    void reset_stats();

    // The same for every command, without the INFO that this call sends.
    [[nodiscard]] std::map<std::string, std::int64_t> all_calls();

    // One line for each connection, except this one.
    [[nodiscard]] std::vector<std::string> client_list();

    // The ids of the connections that are subscribed to a channel.
    [[nodiscard]] std::vector<std::string> subscribed_connections();

private:
    struct closer {
        void operator()(redisContext* context) const noexcept;
    };

    explicit redis_probe(redisContext* context);

    std::unique_ptr<redisContext, closer> context_;
};

}  // namespace pawl::test
