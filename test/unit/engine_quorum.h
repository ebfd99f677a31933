// A client of a quorum whose three nodes are in-process Redis servers, each with a clock of its own. Requests are
// executed at once, on the client's loop.
#pragma once

#include "base/event_loop.h"
#include "observe/dispatcher.h"
#include "redis/transport.h"
#include "store/memory/engine.h"
#include "store/quorum/quorum_store.h"
#include "sync/client_access.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::test {

using namespace std::chrono_literals;

// To be changed while no call of the client is under way, except `frozen`.
struct engine_node {
    void execute(std::initializer_list<std::string_view> words)
    {
        std::string reply;
        engine.execute(1, std::vector<std::string_view>{words}, reply);
        EXPECT_NE(reply.front(), '-') << reply;
    }

    std::chrono::microseconds ahead{};  // its clock
    store::memory::engine engine{[this] {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::microseconds>(now) + ahead;
    }};
    std::string shown;
    std::string run_id;
    std::atomic<bool> frozen{false};
    std::atomic<unsigned> writes{0};
};

class engine_way final : public redis::transport {
public:
    engine_way(engine_node& to, base::scheduler& loop) : to_{&to}, loop_{&loop} {}

    void submit(writer request, std::chrono::milliseconds patience, reader done) override
    {
        std::string asked;
        const auto count = request({.major_version = 7, .run_id = to_->run_id}, asked);
        ++to_->writes;
        if (to_->frozen) {
            loop_->call_at(base::boot_clock::now() + patience, [done] {
                const redis::failure silent{redis::failure_kind::no_reply, "no answer", true};
                done(nullptr, &silent);
            });
            return;
        }
        std::string replies;
        std::string_view rest = asked;
        while (!rest.empty()) rest.remove_prefix(to_->engine.execute_bytes(1, rest, replies));
        loop_->post([done, count, replies] { read(replies, count, done); });
    }

    std::optional<redis::failure> call(
        const writer& /*request*/, const waiting& /*how*/,
        const std::function<void(const redis::reply_view&)>& /*read*/) override
    {
        ADD_FAILURE() << "a quorum asks on its loop";
        return redis::failure{};
    }
    void connect() override {}
    void listen(std::string /*channel*/, redis::listener& /*who*/) override {}
    [[nodiscard]] const std::string& shown() const noexcept override { return to_->shown; }

private:
    static void read(std::string_view replies, unsigned count, const reader& done)
    {
        for (unsigned i = 0; i < count; ++i) {
            redis::reply_parser parser;
            ASSERT_EQ(parser.parse(replies), redis::parse_status::complete);
            const auto reply = parser.reply(replies);
            done(&reply, nullptr);
            replies.remove_prefix(parser.consumed());
        }
    }

    engine_node* to_;
    base::scheduler* loop_;
};

class engine_quorum : public testing::Test {
protected:
    engine_quorum()
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            nodes_[i].shown = "redis://" + std::string(1, static_cast<char>('a' + i));
            nodes_[i].run_id = "run:" + nodes_[i].shown;
            nodes_[i].engine.set_run_id(nodes_[i].run_id);
            // It has been a node for long.
            nodes_[i].execute({"SET", "pawl:node", nodes_[i].run_id + " 0000000000000"});
        }
    }

    // To be called once, when the nodes are as they should be at the beginning.
    client& make_client()
    {
        const auto platform = std::make_shared<base::system_platform>();
        auto loop = std::make_unique<base::event_loop>(*platform);
        std::vector<std::unique_ptr<redis::transport>> ways;
        for (auto& each : nodes_) ways.push_back(std::make_unique<engine_way>(each, *loop));
        client_options options;
        options.command_limit = 300ms;
        auto store = std::make_shared<store::quorum_store>(
            platform, *loop, std::move(ways),
            store::quorum_store::settings{.shown = "redlock:",
                                          .clock_drift = options.clock_drift,
                                          .command_limit = options.command_limit,
                                          .quarantine = 61'600ms,
                                          .log = {}});
        sync::surroundings around{.client = platform->random_id(),
                                  .platform = platform,
                                  .stops = std::make_unique<observe::dispatcher_thread>(),
                                  .handlers = std::make_unique<observe::dispatcher_thread>(),
                                  .loop = std::move(loop),
                                  .store = std::move(store),
                                  .quorum = true};
        client_.reset(new client(client_access::make(std::move(options), std::move(around))));
        return *client_;
    }

    std::array<engine_node, 3> nodes_;
    std::unique_ptr<client> client_;
};

}  // namespace pawl::test
