// Asynchronous calls on a local: server, which the first of them starts.
#include "support/eventually.h"
#include "support/redis_probe.h"
#include "support/temp_dir.h"

#include <pawl/client.h>
#include <pawl/error.h>
#include <pawl/futures.h>
#include <pawl/local_server.h>
#include <pawl/mutex.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;

class on_a_local_server : public testing::Test {
protected:
    on_a_local_server() { set("PAWL_LOCAL_DIR", directory_.file("pawl")); }
    ~on_a_local_server() override
    {
        set("PATH", path_);
        local::stop(true);
    }

    // Each test runs in its own process.
    static void set(const char* name, const std::string& value)
    {
        ASSERT_EQ(::setenv(name, value.c_str(), 1), 0);
    }

    temp_dir directory_;
    std::string path_ = std::getenv("PATH");
};

TEST_F(on_a_local_server, the_first_call_starts_it)
{
    client client{"local:"};
    mutex lock{client, "job"};
    EXPECT_TRUE(futures::acquire(lock).get());
    EXPECT_TRUE(local::query().running);
}

TEST_F(on_a_local_server, a_later_call_starts_it_again_when_it_was_stopped)
{
    client client{"local:"};
    mutex lock{client, "job"};
    EXPECT_TRUE(futures::acquire(lock).get());
    local::stop(true);
    EXPECT_FALSE(local::query().running);
    EXPECT_TRUE(futures::acquire(lock).get());
    EXPECT_TRUE(local::query().running);
}

TEST_F(on_a_local_server, a_call_that_waits_starts_it_again_when_it_was_stopped)
{
    client holder{"local:"};
    client waiter{"local:"};
    lock_options often_renewed;
    often_renewed.lease = 1500ms;
    mutex theirs{holder, "job", often_renewed};
    mutex ours{waiter, "job", often_renewed};
    const hold held = theirs.acquire();
    auto waiting = futures::acquire(ours);
    auto server = redis_probe::unix_socket(local::query().socket);
    ASSERT_TRUE(eventually([&] { return !server.keys("pawl:queue:*").empty(); }));
    local::stop(true);
    EXPECT_TRUE(waiting.get()) << "at its next look, a third of its lease later";
    EXPECT_TRUE(local::query().running);
}

TEST_F(on_a_local_server, a_call_fails_with_the_reason_if_it_cannot_be_started_again)
{
    client_options options;
    options.url = "local:";
    options.command_limit = 1s;
    client client{options};
    mutex lock{client, "job"};
    EXPECT_TRUE(futures::acquire(lock).get());
    local::stop(true);
    set("PATH", "/nowhere");
    try {
        static_cast<void>(futures::acquire(lock).get());
        FAIL() << "granted although there is no server";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::unreachable);
        EXPECT_NE(std::string{e.what()}.find("redis-server is not in PATH"), std::string::npos)
            << e.what();
    }
}

TEST_F(on_a_local_server, a_release_does_not_start_it_again)
{
    client_options options;
    options.url = "local:";
    options.command_limit = 1s;
    client client{options};
    mutex lock{client, "job"};
    hold held = futures::acquire(lock).get();
    local::stop(true);
    EXPECT_THROW(futures::release(std::move(held)).get(), error);
    EXPECT_FALSE(local::query().running);
}

TEST_F(on_a_local_server,
       a_call_fails_with_the_reason_if_it_cannot_be_started_and_the_next_call_tries_again)
{
    client client{"local:"};
    mutex lock{client, "job"};
    set("PATH", "/nowhere");
    try {
        static_cast<void>(futures::acquire(lock).get());
        FAIL() << "granted although there is no server";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::unreachable);
        EXPECT_NE(std::string{e.what()}.find("redis-server is not in PATH"), std::string::npos)
            << e.what();
    }
    set("PATH", path_);
    EXPECT_TRUE(futures::acquire(lock).get());
}

}  // namespace
}  // namespace pawl::test
