#include "redis/address_race.h"

#include "base/interrupt.h"
#include "support/process.h"
#include "support/silent_listener.h"
#include "support/socket.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>

namespace pawl::redis {
namespace {

using namespace std::chrono_literals;
using base::boot_clock;
using status = address_race::status;

template <class Address>
socket_address generic(const Address& from)
{
    socket_address made;
    made.length = sizeof from;
    std::memcpy(&made.storage, &from, sizeof from);
    return made;
}

socket_address v4(const char* number, std::uint16_t port)
{
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    ::inet_pton(AF_INET, number, &where.sin_addr);
    return generic(where);
}

socket_address v6(std::uint16_t port)
{
    sockaddr_in6 where{};
    where.sin6_family = AF_INET6;
    where.sin6_port = htons(port);
    where.sin6_addr = in6addr_loopback;
    return generic(where);
}

std::uint16_t port_of(const socket_address& address)
{
    sockaddr_in where{};
    std::memcpy(&where, &address.storage, sizeof where);
    return ntohs(where.sin_port);  // at the same offset in both families
}

class racing : public testing::Test {
protected:
    racing() { EXPECT_EQ(::listen(good_.get(), 8), 0); }

    // Runs until there is a result.
    status run(address_race& race)
    {
        auto now = race.advance();
        while (now == status::more) {
            const auto end = base::wait_for(race.fd(), race.wanted(), until_, nullptr);
            if (end != base::wait_end::ready) return now;
            ++turns_;
            now = race.advance();
        }
        return now;
    }

    static std::uint16_t peer_port(int socket)
    {
        sockaddr_in where{};
        socklen_t size = sizeof where;
        EXPECT_EQ(::getpeername(socket, reinterpret_cast<sockaddr*>(&where), &size), 0);
        return ntohs(where.sin_port);
    }

    test::socket_fd good_ = test::bind_loopback(0);
    test::socket_fd refusing_ = test::bind_loopback(0);  // it does not listen
    test::silent_listener silent_{"127.0.0.1"};
    socket_address good() const { return v4("127.0.0.1", test::local_port(good_)); }
    socket_address refusing() const { return v4("127.0.0.1", test::local_port(refusing_)); }
    socket_address silent() const { return v4("127.0.0.1", silent_.port()); }
    base::boot_time until_ = boot_clock::now() + 60s;
    int turns_ = 0;
};

TEST_F(racing, a_single_address_is_waited_for_with_its_own_socket)
{
    address_race race{{good()}, until_};
    ASSERT_EQ(run(race), status::connected);
    const auto won = race.take_socket();
    EXPECT_EQ(peer_port(won.get()), test::local_port(good_));
}

TEST_F(racing, a_silent_address_costs_only_one_delay)
{
    address_race race{{silent(), silent(), good()}, until_};
    ASSERT_EQ(run(race), status::connected);
    const auto won = race.take_socket();
    EXPECT_EQ(peer_port(won.get()), test::local_port(good_));
    // One turn at the end of each delay, and one for the connection: it does not spin.
    EXPECT_LE(turns_, 3);
}

TEST_F(racing, a_short_limit_is_shared_among_the_addresses)
{
    // With the usual delay the last of these would be tried after 15 × 250 ms.
    std::vector<socket_address> addresses(15, silent());
    addresses.push_back(good());
    const auto began = boot_clock::now();
    address_race race{addresses, began + 10ms};
    // The rest of the limit is not checked, because a slow machine may need longer.
    ASSERT_EQ(run(race), status::connected);
    EXPECT_LT(boot_clock::now() - began, 15 * 250ms);
}

TEST_F(racing, the_next_address_is_tried_at_once_after_a_refusal)
{
    const auto began = boot_clock::now();
    address_race race{{refusing(), refusing(), good()}, began + 600s};
    ASSERT_EQ(run(race), status::connected);
    const auto won = race.take_socket();
    EXPECT_EQ(peer_port(won.get()), test::local_port(good_));
}

TEST_F(racing, a_slow_address_may_still_win_after_the_next_was_started)
{
    // The first is silent until there is room. The second stays silent.
    const test::silent_listener other{"127.0.0.1"};
    auto first = std::make_unique<test::silent_listener>("127.0.0.1");
    const auto slow = first->port();
    address_race race{{v4("127.0.0.1", slow), v4("127.0.0.1", other.port())}, until_};
    ASSERT_EQ(race.advance(), status::more);
    ASSERT_EQ(base::wait_for(race.fd(), race.wanted(), until_, nullptr), base::wait_end::ready);
    ASSERT_EQ(race.advance(), status::more) << "the second is tried now";
    first->make_room();
    ASSERT_EQ(run(race), status::connected);
    const auto won = race.take_socket();
    EXPECT_EQ(peer_port(won.get()), slow);
}

TEST_F(racing, ends_when_all_have_refused_and_reports_that_there_is_no_server)
{
    address_race race{{refusing(), refusing()}, until_};
    ASSERT_EQ(run(race), status::failed);
    EXPECT_EQ(race.problem().what, failure_kind::nobody_listens);
    EXPECT_EQ(race.problem().detail, "connect: Connection refused");
}

TEST_F(racing, a_process_that_was_forked_meanwhile_does_not_make_it_spin)
{
    until_ = boot_clock::now() + 200ms;
    address_race race{{refusing(), silent()}, until_ + 60s};
    ASSERT_EQ(race.advance(), status::more);
    // The child has the socket of the refused connection open as long as it lives.
    auto child = test::process::forked([] {
        ::pause();
        return 0;
    });
    EXPECT_EQ(run(race), status::more);
    EXPECT_LE(turns_, 2);
}

TEST_F(racing, a_unix_socket_that_does_not_exist_means_that_there_is_no_server)
{
    address_race race{{unix_address("/nowhere/redis.sock")}, until_};
    ASSERT_EQ(run(race), status::failed);
    EXPECT_EQ(race.problem().what, failure_kind::nobody_listens);
}

TEST_F(racing, ends_with_the_limit_if_all_are_silent)
{
    until_ = boot_clock::now() + 100ms;
    address_race race{{silent(), silent()}, until_};
    EXPECT_EQ(run(race), status::more);
}

TEST(addresses, of_two_families_alternate_in_the_resolvers_order)
{
    const auto ordered =
        with_alternating_families({v6(1), v6(2), v6(3), v4("127.0.0.1", 4), v4("127.0.0.1", 5)});
    std::vector<int> ports;
    for (const auto& each : ordered) ports.push_back(port_of(each));
    EXPECT_EQ(ports, (std::vector{1, 4, 2, 5, 3}));
    EXPECT_TRUE(with_alternating_families({}).empty());
}

}  // namespace
}  // namespace pawl::redis
