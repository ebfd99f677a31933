// Channels of the shared connection that the server may end by itself.
#include "base/event_loop.h"
#include "base/platform.h"
#include "redis/pipeline.h"
#include "redis/server.h"
#include "support/socket.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <future>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

namespace pawl::redis {
namespace {

using namespace std::chrono_literals;

class silent_channels final : public channel_listener {
public:
    void connected(const server_facts&) override {}
    void disconnected(const failure&) override {}
    void subscribed(std::string_view) override {}
    void refused(std::string_view, const failure&) override {}
    void unsubscribed(std::string_view) override {}
    void heard(std::string_view) override {}
};

// The test is the server.
class channels_of_a_connection : public testing::Test {
protected:
    channels_of_a_connection()
    {
        sockaddr_un where{};
        where.sun_family = AF_UNIX;
        config_.where.path.copy(where.sun_path, config_.where.path.size());
        EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where),
                  0);
        EXPECT_EQ(::listen(listening_.get(), 8), 0);
        loop_.start();
        loop_.post([this] {
            shared_.watch_channels(channels_);
            shared_.connect();
        });
        peer_ = test::socket_fd{::accept(listening_.get(), nullptr, nullptr)};
        const timeval limit{.tv_sec = 10, .tv_usec = 0};
        ::setsockopt(peer_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        read_until("HELLO");
        answer("%2\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n");
    }
    ~channels_of_a_connection() override { loop_.stop(); }

    void read_until(std::string_view word)
    {
        std::array<char, 4'096> chunk{};
        while (read_.find(word) == std::string::npos) {
            const auto got = ::recv(peer_.get(), chunk.data(), chunk.size(), 0);
            ASSERT_GT(got, 0) << word;
            read_.append(chunk.data(), static_cast<std::size_t>(got));
        }
    }
    void answer(std::string_view bytes)
    {
        EXPECT_EQ(::send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }

    // What the request was answered, or "failed".
    [[nodiscard]] std::future<std::string> call(const std::string& word)
    {
        auto told = std::make_shared<std::promise<std::string>>();
        auto got = told->get_future();
        loop_.post([this, word, told] {
            shared_.call(
                [word](const auto&, auto& out) {
                    append_request(out, std::array<std::string_view, 2>{"ECHO", word});
                    return 1U;
                },
                10s,
                [told](const auto* reply, const auto*) {
                    told->set_value(reply != nullptr ? std::string{reply->text()} : "failed");
                });
        });
        return got;
    }
    void unsubscribe()
    {
        loop_.post([this] { shared_.send(channel_command::sunsubscribe, "c"); });
    }

    test::temp_dir dir_;
    server_config config_ = [this] {
        server_config made;
        made.where.what = address::kind::unix_socket;
        made.where.path = dir_.file("a.sock");
        made.name = "me";
        return made;
    }();
    test::socket_fd listening_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    test::socket_fd peer_;
    std::string read_;
    const server where_{config_};
    base::system_platform platform_;
    base::event_loop loop_{platform_};
    silent_channels channels_;
    pipeline shared_{loop_, where_, {.connect = 10s, .command = 10s}};
    const std::string ended_ = ">3\r\n$12\r\nsunsubscribe\r\n$1\r\nc\r\n:0\r\n";
};

TEST_F(channels_of_a_connection, are_ended_by_a_message)
{
    unsubscribe();
    auto one = call("one");
    auto two = call("two");
    read_until("two");
    answer(ended_ + "+one\r\n-ERR two\r\n");
    EXPECT_EQ(one.get(), "one");
    EXPECT_EQ(two.get(), "ERR two");
}

// The slot moves away before the node reads SUNSUBSCRIBE: it ends the subscription, and then refuses the command.
TEST_F(channels_of_a_connection, that_the_server_ends_at_the_same_time_do_not_shift_the_replies)
{
    unsubscribe();
    auto one = call("one");
    auto two = call("two");
    read_until("two");
    answer(ended_ + "-MOVED 7365 127.0.0.1:7001\r\n+one\r\n+two\r\n");
    EXPECT_EQ(one.get(), "failed");
    EXPECT_EQ(two.get(), "failed");
}

}  // namespace
}  // namespace pawl::redis
