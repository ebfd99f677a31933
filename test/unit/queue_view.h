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
        EXPECT_FALSE(sent(words...)->reply.empty());
    }

private:
    template <class... Words>
    std::int64_t ask(const Words&... words)
    {
        const auto asked = sent(words...);
        redis::reply_parser parser;
        EXPECT_EQ(parser.parse(asked->reply), redis::parse_status::complete);
        return parser.reply(asked->reply).integer();
    }

    template <class... Words>
    [[nodiscard]] store::memory::request_ptr sent(const Words&... words)
    {
        auto asked = std::make_shared<store::memory::request>();
        asked->from = me_;
        asked->connected = true;
        asked->on_answer = [] {};
        redis::append_request(asked->bytes, std::vector<std::string_view>{words...});
        server_->send(asked);
        return asked;
    }

    std::shared_ptr<store::memory::server> server_;
    store::memory::session me_ = server_->join();
};

}  // namespace pawl::test
