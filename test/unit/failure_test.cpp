#include "redis/failure.h"

#include <gtest/gtest.h>

namespace pawl::redis {
namespace {

TEST(failure, of_a_replica_names_the_role_and_may_pass)
{
    for (const std::string_view text :
         {"READONLY You can't write against a read only replica.",
          "READONLY You can't write against a read only replica. script: 31a7d5, on "
          "@user_script:9.",
          "ERR Error running script (call to f_31a7d5): @user_script:5: @user_script: 5: -READONLY "
          "You can't write against a read only replica.",
          "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
          "UNBLOCKED force unblock from blocking operation, instance state changed"}) {
        EXPECT_EQ(role_in_error(text), server_role::replica) << text;
        const auto got = failure_of_error(text);
        EXPECT_EQ(got.what, failure_kind::replica);
        EXPECT_NE(got.detail.find("is a replica"), std::string::npos);
        EXPECT_NE(got.detail.find(text), std::string::npos);
    }
}

TEST(failure, of_a_server_that_is_not_ready_may_pass)
{
    for (const std::string_view text : {"LOADING Redis is loading the dataset in memory",
                                        "NOREPLICAS Not enough good replicas to write."}) {
        EXPECT_EQ(role_in_error(text), server_role::not_ready) << text;
        EXPECT_EQ(failure_of_error(text).what, failure_kind::not_now);
    }
}

TEST(failure, that_may_pass_need_not_change_the_role_of_the_server)
{
    for (const std::string_view text :
         {"BUSY Redis is busy running a script.", "CLUSTERDOWN The cluster is down",
          "TRYAGAIN Multiple keys request during rehashing of slot",
          "ERR max number of clients reached"}) {
        EXPECT_EQ(role_in_error(text), server_role::unknown) << text;
        EXPECT_EQ(failure_of_error(text).what, failure_kind::not_now);
    }
}

TEST(failure, of_a_slot_that_is_elsewhere_says_where)
{
    EXPECT_EQ(failure_of_error("MOVED 866 10.0.0.1:6379").what, failure_kind::moved);
    EXPECT_EQ(failure_of_error("ASK 866 10.0.0.1:6379").what, failure_kind::ask);
    EXPECT_EQ(redirection_in("MOVED 866 10.0.0.1:6379"), (redirection{866, "10.0.0.1", 6379}));
    EXPECT_EQ(redirection_in("ASK 16383 ::1:6379"), (redirection{16383, "::1", 6379}));
    EXPECT_EQ(redirection_in("MOVED 866 :6379"), (redirection{866, "", 6379}));
    for (const std::string_view text :
         {"MOVED 16384 h:6379", "MOVED 866 h", "MOVED 866 h:0", "MOVED x h:1", "ASK", "",
          "ERR 1 h:1", "MOVED 866 h:65536"}) {
        EXPECT_FALSE(redirection_in(text)) << text;
    }
}

TEST(failure, of_any_other_kind_is_a_refusal)
{
    for (const std::string_view text :
         {"NOPERM this user has no permissions to run the 'set' command",
          "OOM command not allowed when used memory > 'maxmemory'.",
          "ERR unknown command 'READONLY'", "ERR Error running script: READONLY", ""}) {
        EXPECT_EQ(role_in_error(text), server_role::unknown) << text;
        EXPECT_EQ(failure_of_error(text).what, failure_kind::refused) << text;
    }
}

}  // namespace
}  // namespace pawl::redis
