// Looks at the queues of a memory server.
#pragma once

#include "core/keys.h"
#include "redis/resp.h"
#include "store/memory/servers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

// Behind the clients' back.
class queue_view {
public:
    explicit queue_view(const std::string& url)
        : server_{store::memory::server_named(url.substr(std::string_view{"memory:"}.size()))}
    {
    }
    ~queue_view() { server_->leave(me_); }
    queue_view(const queue_view&) = delete;
    queue_view& operator=(const queue_view&) = delete;

    // How many wait for a lock. Not while the server is frozen.
    [[nodiscard]] std::int64_t length(const std::string& lock)
    {
        const auto asked = std::make_shared<store::memory::request>();
        asked->from = me_;
        asked->connected = true;
        asked->on_answer = [] {};
        const auto key = core::keys_of(lock).queue();
        redis::append_request(asked->bytes, std::vector<std::string_view>{"ZCARD", key});
        server_->send(asked);
        redis::reply_parser parser;
        EXPECT_EQ(parser.parse(asked->reply), redis::parse_status::complete);
        return parser.reply(asked->reply).integer();
    }

private:
    std::shared_ptr<store::memory::server> server_;
    store::memory::session me_ = server_->join();
};

}  // namespace pawl::test
