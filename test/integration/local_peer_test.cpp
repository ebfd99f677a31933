// A server of another user on the socket of `local:` gets no requests, and its answers are not
// trusted.
#include "integration/fixture.h"
#include "support/process.h"
#include "support/temp_dir.h"

#include <pawl/local_server.h>

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace pawl::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t other_user = 65'534;

class server_of_another_user : public testing::Test {
protected:
    void SetUp() override
    {
        // The tests that need no second user are in test/unit/peer_test.cpp.
        if (::geteuid() != 0) {
            // .ci/run sets it, so that these tests do not stay out unnoticed.
            ASSERT_EQ(std::getenv("PAWL_TEST_NO_SKIP"), nullptr)
                << "PAWL_TEST_NO_SKIP is set, but this test can run as root only";
            GTEST_SKIP() << "only root can run as two users";
        }
        ASSERT_EQ(::setenv("PAWL_LOCAL_DIR", dir_.file("pawl").c_str(), 1), 0);
        ASSERT_EQ(::chown(foreign_dir_.path().c_str(), other_user, other_user), 0);
        foreign_.emplace(process::forked([this] { return serve(); }));
        ASSERT_TRUE(eventually([&] { return fs::exists(foreign_socket()); })) << foreign_->out();
    }

    // The real server ends, and the other one takes its socket.
    void swap_servers()
    {
        local::stop(true);
        fs::rename(foreign_socket(), dir_.file("pawl/redis.sock"));
    }

    [[nodiscard]] std::string foreign_socket() const { return foreign_dir_.file("redis.sock"); }

    [[nodiscard]] client_options options()
    {
        client_options made;
        made.url = "local:";
        events_.attach(made);
        return made;
    }

    event_log events_;

private:
    int serve() const
    {
        if (::setgid(other_user) != 0 || ::setuid(other_user) != 0) return 98;
        ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket",
                 foreign_socket().c_str(), "--unixsocketperm", "777", "--save", "", "--dir",
                 foreign_dir_.path().c_str(), nullptr);
        return 97;
    }

    temp_dir dir_;
    temp_dir foreign_dir_;
    std::optional<process> foreign_;
};

TEST_F(server_of_another_user, is_not_trusted_about_a_release)
{
    client own{options()};
    mutex lock{own, "job"};
    hold held = lock.acquire();
    swap_servers();
    const outcome told = outcome_of([&] { held.release(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "belongs to user 65534, not to you"));
    EXPECT_TRUE(hides(told.message, "settings"));
}

TEST_F(server_of_another_user, is_not_trusted_about_a_renewal)
{
    client own{options()};
    mutex lock{own, "job", quick(1500ms)};
    const hold held = lock.acquire();
    swap_servers();
    // This server would answer that there is no such lock.
    EXPECT_EQ(events_.first(hold_state::lost, held.id()).why, cause::expired);
}

TEST_F(server_of_another_user, is_not_asked_for_a_lock)
{
    client own{options()};
    own.ping();
    mutex lock{own, "job"};
    swap_servers();
    const outcome told = outcome_of([&] { (void)lock.try_acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "belongs to user 65534, not to you"));
}

}  // namespace
}  // namespace pawl::test
