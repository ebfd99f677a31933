// Asynchronous calls on a local: server, which the first of them starts.
#include "support/temp_dir.h"

#include <pawl/client.h>
#include <pawl/error.h>
#include <pawl/future.h>
#include <pawl/local_server.h>
#include <pawl/mutex.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace pawl::test {
namespace {

class on_a_local_server : public testing::Test {
protected:
    on_a_local_server() { set("PAWL_LOCAL_DIR", directory_.file("pawl")); }
    ~on_a_local_server() override
    {
        set("PATH", path_);
        local::stop(true);
    }

    // Each test is a process of its own.
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
    EXPECT_TRUE(acquire_future(lock).get());
    EXPECT_TRUE(local::query().running);
}

TEST_F(on_a_local_server, a_call_says_why_it_does_not_start_and_the_next_tries_again)
{
    client client{"local:"};
    mutex lock{client, "job"};
    set("PATH", "/nowhere");
    try {
        static_cast<void>(acquire_future(lock).get());
        FAIL() << "granted by nobody";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::unreachable);
        EXPECT_NE(std::string{e.what()}.find("no redis-server in PATH"), std::string::npos)
            << e.what();
    }
    set("PATH", path_);
    EXPECT_TRUE(acquire_future(lock).get());
}

}  // namespace
}  // namespace pawl::test
