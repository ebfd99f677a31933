// The user that listens on the socket of `local:` is checked on every connection, of any kind.
#include "base/event_loop.h"
#include "base/platform.h"
#include "redis/pipeline.h"
#include "redis/pool.h"
#include "redis/server.h"
#include "support/socket.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <future>

namespace pawl::redis {
namespace {

using namespace std::chrono_literals;

class peer_of_a_socket : public testing::Test {
protected:
    peer_of_a_socket()
    {
        sockaddr_un where{};
        where.sun_family = AF_UNIX;
        config_.where.path.copy(where.sun_path, config_.where.path.size());
        EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where),
                  0);
        EXPECT_EQ(::listen(listening_.get(), 8), 0);
    }

    // Whether the first connection has sent anything.
    bool heard_something()
    {
        const test::socket_fd got{::accept(listening_.get(), nullptr, nullptr)};
        char byte{};
        return ::recv(got.get(), &byte, 1, 0) > 0;
    }

    test::temp_dir dir_;
    server_config config_ = [this] {
        server_config made;
        made.where.what = address::kind::unix_socket;
        made.where.path = dir_.file("a.sock");
        made.where.owner = ::geteuid() + 1;
        made.password = "sesame";
        made.name = "me";
        return made;
    }();
    test::socket_fd listening_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST_F(peer_of_a_socket, with_the_wrong_user_is_refused_before_a_byte_is_sent)
{
    const server where{config_};
    {
        pool callers{where, 1, 10s};
        auto taken = callers.take(base::boot_clock::now() + 10s, nullptr, false);
        const auto* const problem = std::get_if<failure>(&taken);
        ASSERT_NE(problem, nullptr);
        EXPECT_EQ(problem->what, failure_kind::refused);
        EXPECT_NE(problem->detail.find("belongs to user " + std::to_string(::geteuid())),
                  std::string::npos)
            << problem->detail;
    }
    EXPECT_FALSE(heard_something());
}

TEST_F(peer_of_a_socket, with_the_wrong_user_is_refused_on_the_shared_connection)
{
    const server where{config_};
    base::system_platform platform;
    base::event_loop loop{platform};
    std::promise<failure> told;
    {
        pipeline shared{loop, where, {.connect = 10s, .command = 10s}};
        loop.start();
        loop.post([&] {
            shared.call([](const auto&, auto&) { return 1U; }, 10s,
                        [&](const auto*, const failure* why) { told.set_value(*why); });
        });
        EXPECT_EQ(told.get_future().get().what, failure_kind::refused);
        loop.stop();
    }
    EXPECT_FALSE(heard_something());
}

TEST_F(peer_of_a_socket, with_the_right_user_is_accepted)
{
    config_.where.owner = ::geteuid();
    const server where{config_};
    const auto link = where.dial(base::boot_clock::now() + 10s);
    EXPECT_EQ(link->now(), link::state::greeting);
    EXPECT_TRUE(heard_something());
}

}  // namespace
}  // namespace pawl::redis
