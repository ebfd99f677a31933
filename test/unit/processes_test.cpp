// Which process has which connections, from CLIENT LIST.
#include "store/redis/processes.h"

#include <gtest/gtest.h>

namespace pawl::store {
namespace {

TEST(processes, are_found_by_the_digits_of_their_channel)
{
    process_map found;
    add_processes(
        "id=3 addr=10.0.0.7:51234 laddr=10.0.0.1:6379 fd=8 name=shop:web-3:4711:0123456789abcdef "
        "age=12 idle=0 user=default\n"
        "id=4 addr=10.0.0.8:1 name= age=1\n"
        "id=5 addr=10.0.0.9:1 name=worker age=1\n",
        found);
    ASSERT_EQ(found.size(), 1U);
    const auto& one = found.at("0123456789abcdef");
    EXPECT_EQ(one.label, "shop");
    EXPECT_EQ(one.host, "web-3");
    EXPECT_EQ(one.pid, 4711);
    EXPECT_EQ(one.address, "10.0.0.7:51234");
}

TEST(processes, of_several_connections_are_named_once)
{
    process_map found;
    add_processes(
        "addr=a:1 name=pawl:h:1:0123456789abcdef\naddr=a:2 name=pawl:h:1:0123456789abcdef", found);
    EXPECT_EQ(found.size(), 1U);
    EXPECT_EQ(found.begin()->second.address, "a:1");
}

TEST(processes, in_a_list_without_sense_are_none)
{
    process_map found;
    add_processes("\n\n  =\nname=:::\nname=pawl:h:x:0123456789abcdef\n", found);
    EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace pawl::store
