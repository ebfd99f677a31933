// Connections: their protocol, their database, their name, and a server that accepts no more.
#include "integration/access_fixture.h"
#include "support/server_info.h"

#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace pawl::test {
namespace {

class server_settings : public testing::Test {};

TEST_F(server_settings, a_server_without_hello_is_used_with_the_old_protocol)
{
    redis_server server{{.config = {"rename-command HELLO \"\"", "requirepass sesame"}}};
    client_options made;
    made.url = server.unix_url() + "?name=old-friend&db=3";
    made.password = "sesame";
    client own{made};
    use_everything(own);
    mutex lock{own, "stock:42", quick(10s)};
    const hold held = lock.acquire();
    redis_probe probe = server.probe();
    probe.must({"AUTH", "sesame"});
    for (const std::string& one : probe.client_list()) {
        EXPECT_TRUE(says(one, "name=old-friend"));
        // Before 7.0 the list does not tell the protocol.
        if (one.find(" resp=") != std::string::npos) {
            EXPECT_TRUE(says(one, "resp=2"));
        }
        EXPECT_TRUE(says(one, "db=3"));
    }
}

TEST_F(server_settings, a_server_that_accepts_no_more_clients_is_unreachable)
{
    redis_server server{{.config = {"maxclients 1"}}};
    client_options made;
    made.url = server.unix_url();
    made.command_limit = 300ms;
    client own{made};
    std::optional<redis_probe> probe;
    // The connection that found out that the server runs may still be there.
    ASSERT_TRUE(eventually_answers([&] {
        probe.emplace(server.probe());
        return !probe->must({"PING"}).is_error();
    }));
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, errc::unreachable);
    probe.reset();
    EXPECT_TRUE(eventually([&] { return !outcome_of([&] { own.ping(); }).code; }));
}

class database : public with_server {};

TEST_F(database, is_chosen_by_the_url_or_the_options)
{
    client_options by_option = options();
    by_option.database = 5;
    client first{by_option};
    client second{options(server_.url() + "/6")};
    client third{options(server_.unix_url() + "?db=7")};
    mutex in_first{first, "job", quick(10s)};
    mutex in_second{second, "job", quick(10s)};
    mutex in_third{third, "job", quick(10s)};
    const hold one = in_first.acquire();
    const hold two = in_second.acquire();
    const hold three = in_third.acquire();
    for (const auto& [number, id] :
         {std::pair{"5", one.id()}, {"6", two.id()}, {"7", three.id()}}) {
        probe_.must({"SELECT", number});
        EXPECT_EQ(probe_.get("job"), id);
    }
}

TEST_F(database, in_the_options_wins_over_the_url)
{
    client_options both = options(server_.url() + "/6");
    both.database = 5;
    client own{both};
    mutex lock{own, "job", quick(10s)};
    const hold held = lock.acquire();
    probe_.must({"SELECT", "5"});
    EXPECT_EQ(probe_.get("job"), held.id());
}

TEST_F(database, that_does_not_exist_is_refused)
{
    client own{options(server_.url() + "/99")};
    const outcome told = outcome_of([&] { own.ping(); });
    EXPECT_EQ(told.code, errc::refused);
}

TEST_F(database, is_chosen_again_after_a_reconnect)
{
    client own{options(server_.url() + "/6")};
    mutex lock{own, "job", quick(600ms)};
    hold held = lock.acquire();
    probe_.must({"CLIENT", "KILL", "TYPE", "normal"});
    EXPECT_TRUE(always(1200ms, [&] { return !held.lost().stop_requested(); }));
    EXPECT_TRUE(held.confirm());
}

class connection_name : public with_server {};

TEST_F(connection_name, names_the_host_the_process_and_the_client)
{
    client own{options()};
    own.ping();
    const auto first = probe_.client_list().at(0);
    EXPECT_TRUE(says(first, "name=pawl:")) << first;
    EXPECT_TRUE(says(first, ":" + std::to_string(::getpid()) + ":" + own.id().substr(0, 16) + " "))
        << first;
    EXPECT_TRUE(says(first, "resp=3")) << first;
}

TEST_F(connection_name, begins_with_a_label_that_can_be_chosen)
{
    client_options made = options();
    made.name = "stock-service";
    client own{made};
    own.ping();
    const auto first = probe_.client_list().at(0);
    EXPECT_TRUE(says(first, "name=stock-service:")) << first;
    EXPECT_TRUE(says(first, ":" + own.id().substr(0, 16) + " ")) << first;
}

// So the list of connections tells which process has a lock.
TEST_F(connection_name, ends_with_the_digits_with_which_the_holder_ids_of_the_client_end)
{
    client own{options()};
    for (const auto kept : {0ms, 50ms}) {
        mutex lock{own, "lock", {.linger = kept}};
        const auto held = lock.acquire();
        EXPECT_TRUE(held.id().ends_with(own.id().substr(0, 16))) << held.id();
    }
    lock_set both{own, {"one", "two"}};
    EXPECT_TRUE(both.acquire().id().ends_with(own.id().substr(0, 16)));
}

}  // namespace
}  // namespace pawl::test
