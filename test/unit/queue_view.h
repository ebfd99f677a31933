// Shows the queues and fences of a memory server.
#pragma once

#include "redis/resp.h"
#include "store/memory/servers.h"
#include "store/redis/keys.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::test {

// Uses a separate session, so that the clients are not affected.
class queue_view {
public:
    explicit queue_view(const std::string& url)
        : server_{store::memory::server_named(url.substr(std::string_view{"memory:"}.size()))}
    {
    }
    ~queue_view() { server_->leave(me_); }
    queue_view(const queue_view&) = delete;
    queue_view& operator=(const queue_view&) = delete;

    // The number of requests that wait for an answer. May be called at any time.
    [[nodiscard]] std::size_t unanswered() { return server_->unanswered(); }

    // The number of waiters for a lock. Must not be called while the server is frozen.
    [[nodiscard]] std::int64_t length(const std::string& lock)
    {
        constexpr std::int64_t elements_each = 2;
        return ask("LLEN", store::queue_key(lock)) / elements_each;
    }

    // The number of waiters for a condition of a lock. Must not be called while the server is frozen.
    [[nodiscard]] std::int64_t length(const std::string& lock, const std::string& condition)
    {
        constexpr std::int64_t elements_each = 2;
        return ask("LLEN", store::condition_key(lock, condition)) / elements_each;
    }

    // Whether some client has the lock. Must not be called while the server is frozen.
    [[nodiscard]] bool is_held(const std::string& lock) { return ask("EXISTS", lock) == 1; }
    // The number of watchers of a leader. Must not be called while the server is frozen.
    [[nodiscard]] std::int64_t watchers(const std::string& leader)
    {
        constexpr std::int64_t elements_each = 2;
        return ask("LLEN", store::watch_key(leader)) / elements_each;
    }

    // The rest of the life of a key in ms: -1 if it does not expire, -2 if it does not exist.
    [[nodiscard]] std::int64_t life_of(const std::string& key) { return ask("PTTL", key); }

    // Whether the lock was ever granted, even if it was given back since. Must not be called while
    // the server is frozen.
    [[nodiscard]] bool has_fence(const std::string& lock)
    {
        return ask("EXISTS", store::fence_key(lock)) == 1;
    }

    // Puts a value of another type in the place of the fence. Requests that need the fence fail then.
    void spoil_fence(const std::string& lock)
    {
        ask("DEL", store::fence_key(lock));
        ask("LPUSH", store::fence_key(lock), "not a number");
    }

    // Sends a request, and ignores the answer. Must not be called while the server is frozen.
    template <class... Words>
    void send(const Words&... words)
    {
        EXPECT_FALSE(send_bytes(commands(words...))->reply.empty());
    }

    // Sends a request. Returns length() or is_held() as the request leaves it: no other request comes between.
    template <class... Words>
    [[nodiscard]] std::int64_t length_after(const std::string& lock, const Words&... words)
    {
        constexpr std::int64_t elements_each = 2;
        return ask_after(commands(words...), "LLEN", store::queue_key(lock)) / elements_each;
    }
    template <class... Words>
    [[nodiscard]] bool is_held_after(const std::string& lock, const Words&... words)
    {
        return ask_after(commands(words...), "EXISTS", lock) == 1;
    }

private:
    template <class... Words>
    std::int64_t ask(const Words&... words)
    {
        return ask_after({}, words...);
    }

    // The last reply, to these words, is a number.
    template <class... Words>
    std::int64_t ask_after(const std::string& before, const Words&... words)
    {
        const auto asked = send_bytes(before + commands(words...));
        redis::reply_parser parser;
        std::string_view rest = asked->reply;
        std::int64_t last = -1;
        while (!rest.empty()) {
            parser.reset();
            const bool whole = parser.parse(rest) == redis::parse_status::complete;
            EXPECT_TRUE(whole);
            if (!whole) break;
            const auto reply = parser.reply(rest);
            EXPECT_FALSE(reply.is_error()) << reply.text();
            if (reply.type() == redis::resp_type::integer) last = reply.integer();
            rest.remove_prefix(parser.consumed());
        }
        return last;
    }

    template <class... Words>
    [[nodiscard]] static std::string commands(const Words&... words)
    {
        std::string bytes;
        redis::append_request(bytes, std::vector<std::string_view>{words...});
        return bytes;
    }

    [[nodiscard]] store::memory::request_ptr send_bytes(std::string bytes)
    {
        auto asked = std::make_shared<store::memory::request>();
        asked->from = me_;
        asked->connected = true;
        asked->on_answer = [] {};
        asked->bytes = std::move(bytes);
        server_->send(asked);
        return asked;
    }

    std::shared_ptr<store::memory::server> server_;
    store::memory::session me_ = server_->join();
};

}  // namespace pawl::test
