// The server is not of the kind that the URL says: the message names what it looks like, and what
// to do.
#include "integration/fixture.h"
#include "support/free_port.h"
#include "support/socket.h"
#include "support/temp_dir.h"
#include "support/tls_files.h"

#include <pawl/futures.h>

#include <poll.h>
#include <sys/socket.h>
#include <thread>

namespace pawl::test {
namespace {

// Sends the same text to every client, whatever it receives.
class parrot {
public:
    explicit parrot(std::string words) : words_{std::move(words)}
    {
        ::listen(listening_.get(), 8);
        thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
    }

    [[nodiscard]] std::string port() const { return std::to_string(local_port(listening_)); }

private:
    void run(const std::stop_token& stop)
    {
        std::vector<socket_fd> connected;
        while (!stop.stop_requested()) {
            pollfd next{listening_.get(), POLLIN, 0};
            if (::poll(&next, 1, 10) <= 0) continue;
            socket_fd fd{::accept(listening_.get(), nullptr, nullptr)};
            [[maybe_unused]] const auto sent =
                ::send(fd.get(), words_.data(), words_.size(), MSG_NOSIGNAL);
            connected.push_back(std::move(fd));
        }
    }

    std::string words_;
    socket_fd listening_ = bind_loopback(0);
    std::jthread thread_;
};

class wrong_server : public testing::Test {
protected:
    static outcome ping(const std::string& url, std::chrono::milliseconds limit = 60s)
    {
        client_options made;
        made.url = url;
        made.command_limit = limit;
        made.connect_limit = limit;
        return outcome_of([&] { client{made}.ping(); });
    }
};

const std::string tls_alert{"\x15\x03\x03\x00\x02\x02\x46", 7};

TEST_F(wrong_server, a_plain_port_that_answers_tls_in_plain_text_is_recognised_at_once)
{
    const parrot plain{"-ERR Protocol error\r\n"};
    const outcome told = ping("rediss://:sesame@127.0.0.1:" + plain.port());
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "it looks like a plain port; use redis://"));
    EXPECT_TRUE(hides(told.message, "certificate"));
    EXPECT_TRUE(hides(told.message, "sesame"));
}

TEST_F(wrong_server, a_tls_port_that_answers_plain_text_by_an_alert_is_recognised_at_once)
{
    const parrot secure{tls_alert};
    const outcome told = ping("redis://:sesame@127.0.0.1:" + secure.port());
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "it looks like a TLS port; use rediss://"));
    EXPECT_TRUE(hides(told.message, "certificate"));
    EXPECT_TRUE(hides(told.message, "sesame"));
}

TEST_F(wrong_server, a_tls_port_is_recognised_by_asynchronous_calls_too)
{
    const parrot secure{tls_alert};
    client_options made;
    made.url = "redis://127.0.0.1:" + secure.port();
    made.shutdown_limit = 100s;
    const auto took = time_of([&] {
        client own{made};
        mutex lock{own, "job"};
        const outcome told = outcome_of([&] { static_cast<void>(futures::acquire(lock).get()); });
        EXPECT_EQ(told.code, errc::refused);
        EXPECT_TRUE(says(told.message, "it looks like a TLS port; use rediss://"));
    });
    EXPECT_LT(took, 50s) << "nothing was sent, so there is nothing to clean up";
}

TEST_F(wrong_server, a_plain_redis_port_is_suggested_as_the_cause_if_there_is_no_answer)
{
    const tls_files files;
    const redis_server server;
    const outcome told = ping(
        "rediss://127.0.0.1:" + std::to_string(server.port()) + "?ca_file=" + files.ca(), 300ms);
    EXPECT_TRUE(says(told.message, "plain port"));
    EXPECT_TRUE(says(told.message, "use redis://"));
}

TEST_F(wrong_server, a_tls_redis_port_is_suggested_as_the_cause_of_a_closed_connection)
{
    const tls_files files;
    const redis_server server{{.config = {}, .tls = &files}};
    const outcome told = ping("redis" + server.tls_url().substr(6), 300ms);
    EXPECT_TRUE(says(told.message, "TLS port"));
    EXPECT_TRUE(says(told.message, "use rediss://"));
}

TEST_F(wrong_server, a_node_of_a_cluster_is_refused_with_its_name)
{
    const redis_server node{{.cluster = true}};
    const outcome told = ping(node.url());
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "Redis Cluster"));
    EXPECT_TRUE(says(told.message, "redis+cluster://"));
}

TEST_F(wrong_server, a_sentinel_is_refused_with_its_name)
{
    const temp_dir dir;
    const auto port = std::to_string(free_port());
    write_file(dir.file("sentinel.conf"),
               "bind 127.0.0.1\nport " + port + "\ndir " + dir.path().string() + "\n");
    process sentinel{{"redis-server", dir.file("sentinel.conf"), "--sentinel"}};
    outcome told;
    EXPECT_TRUE(eventually([&] {
        told = ping("redis://127.0.0.1:" + port, 1s);
        return told.code == errc::refused;
    })) << told.message
        << sentinel.out();
    EXPECT_TRUE(says(told.message, "Sentinel"));
    EXPECT_TRUE(says(told.message, "redis+sentinel://"));
}

TEST_F(wrong_server, a_mutex_and_a_recursive_mutex_with_one_name_are_an_error)
{
    const redis_server server;
    client own{server.unix_url()};
    mutex plain{own, "job"};
    recursive_mutex recursive{own, "job"};
    for (lockable* const first :
         {static_cast<lockable*>(&plain), static_cast<lockable*>(&recursive)}) {
        lockable* const second = first == &plain ? static_cast<lockable*>(&recursive) : &plain;
        const auto held = first->try_acquire();
        ASSERT_TRUE(held);
        const outcome told = outcome_of([&] { static_cast<void>(second->try_acquire()); });
        EXPECT_EQ(told.code, errc::not_a_lock);
        EXPECT_TRUE(says(told.message, "not a lock of this kind"));
    }
}

class absent_server : public testing::Test {
protected:
    static client_options options(const std::string& url)
    {
        client_options made;
        made.url = url;
        made.command_limit = 100s;
        return made;
    }
    // Far below the limit, which repeated attempts would use up.
    static constexpr std::chrono::milliseconds at_once{30s};
    temp_dir dir_;
};

TEST_F(absent_server, is_reported_at_once_if_the_caller_does_not_wait)
{
    for (const std::string& url :
         {"redis://127.0.0.1:" + std::to_string(free_port()), "unix:" + dir_.file("none.sock")}) {
        client own{options(url)};
        mutex lock{own, "job"};
        outcome told;
        EXPECT_LT(time_of([&] { told = outcome_of([&] { (void)lock.try_acquire(); }); }), at_once);
        EXPECT_EQ(told.code, errc::unreachable) << told.message;
    }
}

TEST_F(absent_server, is_reported_at_once_if_an_asynchronous_caller_does_not_wait)
{
    client own{options("redis://127.0.0.1:" + std::to_string(free_port()))};
    mutex lock{own, "job"};
    auto asked = futures::try_acquire(lock);
    ASSERT_EQ(asked.wait_for(at_once), std::future_status::ready);
    EXPECT_EQ(outcome_of([&] { (void)asked.get(); }).code, errc::unreachable);
}

}  // namespace
}  // namespace pawl::test
