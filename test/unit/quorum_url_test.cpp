// How the URL of a quorum is split into those of its nodes.
#include "common/quorum_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::common {
namespace {

using testing::ElementsAre;

TEST(url_of_a_quorum, is_split_where_another_url_begins)
{
    EXPECT_THAT(node_urls("redlock:redis://a,rediss://b:1/2?name=c,unix:/d"),
                ElementsAre("redis://a", "rediss://b:1/2?name=c", "unix:/d"));
}

TEST(url_of_a_quorum, is_not_split_at_commas_inside_a_password_or_a_path)
{
    EXPECT_THAT(node_urls("redlock:redis://:a,b@host,unix:/c,d,redis://e"),
                ElementsAre("redis://:a,b@host", "unix:/c,d", "redis://e"));
}

// So the message of the refusal names the node that it is about.
TEST(url_of_a_quorum, is_also_split_where_a_url_begins_that_no_node_may_have)
{
    EXPECT_THAT(node_urls("redlock:redis://a,redis+cluster://b,local:c,http://d"),
                ElementsAre("redis://a", "redis+cluster://b", "local:c", "http://d"));
}

TEST(url_of_a_quorum, may_have_empty_parts_which_are_refused_later)
{
    EXPECT_THAT(node_urls("redlock:"), ElementsAre(""));
    EXPECT_THAT(node_urls("redlock:redis://a,"), ElementsAre("redis://a,"));
    EXPECT_THAT(node_urls("redlock:,redis://a"), ElementsAre("", "redis://a"));
}

TEST(url_of_one_server, is_not_split)
{
    EXPECT_THAT(node_urls("redis+sentinel://a,b/c"), ElementsAre("redis+sentinel://a,b/c"));
}

}  // namespace
}  // namespace pawl::common
