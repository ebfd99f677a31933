// The names of connections, with which an operator finds the process that has a lock.
#include "redis/connection_name.h"
#include "core/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pawl::redis {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr std::string_view channel = "0123456789abcdef";

TEST(connection_name, ends_with_the_digits_with_which_holder_ids_end)
{
    const std::string client(32, 'c');
    client_options options;
    options.url = "redis://h";
    auto where = read_deployment(options);
    name_connections(where, core::channel_of(client));
    const auto holder = core::make_holder(std::string(32, '1'), core::channel_of(client));
    const auto name = read_connection_name(where.servers.front().name);
    ASSERT_TRUE(name);
    EXPECT_THAT(holder, EndsWith(name->channel));
    EXPECT_EQ(name->label, "pawl");
    EXPECT_EQ(name->pid, ::getpid());
    EXPECT_FALSE(name->host.empty());
}

TEST(connection_name, of_every_server_is_complete)
{
    for (const std::string url : {"redlock:redis://a,redis://b,redis://c", "redis+cluster://a,b",
                                  "redis+sentinel://a,b/service"}) {
        client_options options;
        options.url = url;
        auto where = read_deployment(options);
        name_connections(where, channel);
        for (const auto& each : where.servers) {
            EXPECT_TRUE(read_connection_name(each.name)) << url << ' ' << each.name;
        }
        EXPECT_TRUE(read_connection_name(where.found.name)) << url << ' ' << where.found.name;
    }
}

TEST(connection_name, begins_with_the_name_in_the_options)
{
    client_options options;
    options.url = "redis://h?name=stock:service";
    auto where = read_deployment(options);
    name_connections(where, channel);
    EXPECT_THAT(where.servers.front().name, StartsWith("stock:service:"));
    EXPECT_EQ(read_connection_name(where.servers.front().name)->label, "stock:service");
}

TEST(connection_name, of_another_program_is_none)
{
    for (const std::string_view text :
         {"", "pawl", "pawl:host:7", "0123456789abcdef", ":0123456789abcdef", "1:0123456789abcdef",
          "host:0:0123456789abcdef", "host:7:0123456789abcdef", "pawl:host:x:0123456789abcdef",
          "pawl:host:-7:0123456789abcdef", "pawl:host:7:0123456789ABCDEF",
          "pawl:host:7:0123456789abcde", "pawl:host:7:0123456789abcdef0",
          "pawl:host:99999999999999999999:0123456789abcdef"}) {
        EXPECT_FALSE(read_connection_name(text)) << text;
    }
    EXPECT_TRUE(read_connection_name("pawl:host:7:0123456789abcdef"));
    EXPECT_TRUE(read_connection_name(":host:7:0123456789abcdef"));
}

}  // namespace
}  // namespace pawl::redis
