// Hosts with several addresses, some of which do not answer.
#include "integration/fixture.h"
#include "support/fake_hosts.h"
#include "support/silent_listener.h"

#include <pawl/futures.h>

#include <dirent.h>

namespace pawl::test {
namespace {

std::size_t open_descriptors()
{
    std::size_t count = 0;
    DIR* const all = ::opendir("/proc/self/fd");
    while (::readdir(all) != nullptr) ++count;
    ::closedir(all);
    return count;
}

class host_with_many_addresses : public with_server {
protected:
    [[nodiscard]] client_options options_for(const std::string& name)
    {
        auto made = options("redis://" + name + ":" + std::to_string(server_.port()));
        made.command_limit = 60s;  // enough for a slow machine
        made.connect_limit = 60s;
        return made;
    }
};

TEST_F(host_with_many_addresses, a_silent_first_address_does_not_prevent_a_call)
{
    const silent_listener silent{"127.0.0.2", server_.port()};
    const fake_host host{"two.test", {"127.0.0.2", "127.0.0.1"}};
    client own{options_for("two.test")};
    // The first attempt of a request has a third of the limit, and must be enough.
    EXPECT_LT(time_of([&] { own.ping(); }), 20s);
}

TEST_F(host_with_many_addresses, a_silent_first_address_does_not_prevent_renewals)
{
    const silent_listener silent{"127.0.0.2", server_.port()};
    const fake_host host{"two.test", {"127.0.0.2", "127.0.0.1"}};
    client own{options_for("two.test")};
    mutex lock{own, "job"};
    hold held = futures::acquire(lock).get();
    EXPECT_TRUE(held.confirm());
    held.extend(60s);
}

TEST_F(host_with_many_addresses, all_addresses_but_the_last_may_be_silent)
{
    const silent_listener second{"127.0.0.2", server_.port()};
    const silent_listener third{"127.0.0.3", server_.port()};
    const silent_listener fourth{"127.0.0.4", server_.port()};
    const fake_host host{"four.test", {"127.0.0.4", "127.0.0.3", "127.0.0.2", "127.0.0.1"}};
    client own{options_for("four.test")};
    EXPECT_LT(time_of([&] { own.ping(); }), 20s);
}

TEST_F(host_with_many_addresses, an_address_that_refuses_is_passed_over)
{
    const fake_host host{"two.test", {"127.0.0.2", "127.0.0.1"}};
    client own{options_for("two.test")};
    own.ping();
    mutex lock{own, "job"};
    EXPECT_TRUE(futures::acquire(lock).get());
}

TEST_F(host_with_many_addresses, connecting_leaves_no_descriptor_behind)
{
    const silent_listener silent{"127.0.0.2", server_.port()};
    const fake_host host{"two.test", {"127.0.0.2", "127.0.0.1"}};
    const fake_host plain{"one.test", {"127.0.0.1"}};
    const auto descriptors_with = [&](const std::string& name) {
        client own{options_for(name)};
        own.ping();
        mutex lock{own, "job"};
        static_cast<void>(futures::acquire(lock).get());
        return open_descriptors();
    };
    EXPECT_EQ(descriptors_with("two.test"), descriptors_with("one.test"));
}

TEST_F(host_with_many_addresses, is_unreachable_if_all_refuse_and_the_message_says_so)
{
    const fake_host host{"two.test", {"127.0.0.2", "127.0.0.3"}};
    auto made = options_for("two.test");
    made.command_limit = 300ms;
    client own{made};
    const outcome told = outcome_of([&] { own.ping(); });
    EXPECT_EQ(told.code, errc::unreachable);
    EXPECT_TRUE(says(told.message, "Connection refused"));
}

}  // namespace
}  // namespace pawl::test
