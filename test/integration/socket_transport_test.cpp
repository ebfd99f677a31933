// How a transport closes its connections. listening_test.cpp has what it hears.
#include "integration/fixture.h"

#include "base/event_loop.h"
#include "base/platform.h"
#include "redis/socket_transport.h"

#include <array>
#include <future>
#include <memory>
#include <string>
#include <string_view>

namespace pawl::test {
namespace {

class socket_transport : public with_server {
protected:
    socket_transport() : way_{loop_, config(), 1, {2s, 2s}} { loop_.start(); }
    ~socket_transport() override { loop_.stop(); }

    using way_to_submit = void (redis::transport::*)(redis::transport::writer,
                                                     std::chrono::milliseconds,
                                                     redis::transport::reader);

    // The reply to PING as text, or what the failure says.
    std::string ping(way_to_submit submit)
    {
        const auto answer = std::make_shared<std::promise<std::string>>();
        auto write = [](const redis::server_facts&, std::string& out) {
            redis::append_request(out, std::array<std::string_view, 1>{"PING"});
            return 1U;
        };
        auto read = [answer](const redis::reply_view* reply, const redis::failure* why) {
            answer->set_value(why != nullptr ? why->detail : std::string{reply->text()});
        };
        loop_.post([&] { (way_.*submit)(write, 2s, read); });
        return answer->get_future().get();
    }

    void ping_on_all_connections()
    {
        EXPECT_EQ(ping(&redis::transport::submit), "PONG");
        EXPECT_EQ(ping(&redis::transport::submit_apart), "PONG");
        EXPECT_EQ(probe_.client_list().size(), 2U);
    }

    redis::server_config config()
    {
        client_options options;
        options.url = server_.unix_url();
        return redis::read_config(options);
    }

    base::system_platform platform_;
    base::event_loop loop_{platform_};
    redis::socket_transport way_;
};

TEST_F(socket_transport, hangs_up_on_all_connections_and_connects_again_when_needed)
{
    ping_on_all_connections();
    loop_.post([this] { way_.hang_up(); });
    EXPECT_TRUE(eventually([this] { return probe_.client_list().empty(); }))
        << probe_.client_list().size() << " connections are left";
    ping_on_all_connections();
}

TEST_F(socket_transport, refuses_every_request_after_the_end)
{
    ping_on_all_connections();
    loop_.post([this] { way_.end({redis::failure_kind::unreachable, "it is over"}); });
    EXPECT_TRUE(eventually([this] { return probe_.client_list().empty(); }));
    EXPECT_EQ(ping(&redis::transport::submit), "it is over");
    EXPECT_EQ(ping(&redis::transport::submit_apart), "it is over");
    EXPECT_TRUE(probe_.client_list().empty());
}

}  // namespace
}  // namespace pawl::test
