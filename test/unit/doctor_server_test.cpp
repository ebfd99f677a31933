// What the doctor says about a server's version, memory and disk.
#include "unit/doctor_fixture.h"

namespace pawl::test {
namespace {

using namespace doctor;
using testing::HasSubstr;

using doctor_on_server = doctor_checks;

TEST_F(doctor_on_server, names_product_and_version_of_each_kind_of_server)
{
    info(redis_6);
    EXPECT_EQ(of(check_version).seen, "Redis 6.2.14");
    hello({"server", "redis", "version", "8.0.2", "proto", "3"});
    EXPECT_EQ(of(check_version).seen, "Redis 8.0.2");
    // Valkey calls itself 7.2.4 in redis_version.
    info(valkey_9);
    EXPECT_EQ(of(check_version).seen, "Valkey 9.0.1");
    refuse_info();
    hello({"server", "valkey", "version", "8.1.1", "proto", "3"});
    EXPECT_EQ(of(check_version).seen, "Valkey 8.1.1");
    EXPECT_EQ(of(check_version).severity, severity::ok);
}

TEST_F(doctor_on_server, warns_of_a_version_that_is_too_old)
{
    info("redis_version:6.0.16\r\n");
    EXPECT_EQ(severity_of(check_version), severity::warning);
    info("redis_version:6.2.0\r\n");
    EXPECT_EQ(severity_of(check_version), severity::ok);
    at_.kind = store_kind::cluster;
    EXPECT_EQ(severity_of(check_version), severity::note) << "no sharded channels";
    info("redis_version:10.0.0\r\n");
    EXPECT_EQ(severity_of(check_version), severity::ok);
}

TEST_F(doctor_on_server, wants_resp3)
{
    hello({"server", "redis", "version", "7.0.15", "proto", "3", "id", "5"});
    EXPECT_EQ(severity_of(check_resp3), severity::ok);
    hello({"server", "redis", "version", "7.0.15", "proto", "2"});
    EXPECT_EQ(severity_of(check_resp3), severity::warning);
    server_.hello = {.values = {}, .problem = "the server does not have HELLO"};
    EXPECT_EQ(of(check_resp3).seen, "the server does not have HELLO");
    EXPECT_EQ(severity_of(check_resp3), severity::warning);
    server_.hello.problem = "HELLO: ERR wrong number of arguments for 'hello' command";
    EXPECT_EQ(severity_of(check_resp3), severity::ok) << "6.0 wants an argument";
}

TEST_F(doctor_on_server, calls_eviction_of_locks_a_fault)
{
    EXPECT_EQ(severity_of(check_eviction), severity::ok);
    for (const auto* policy : {"volatile-lru", "allkeys-random", "volatile-ttl"}) {
        info("maxmemory:1000000\r\nmaxmemory_policy:" + std::string{policy} + "\r\n");
        const auto got = of(check_eviction);
        EXPECT_EQ(got.severity, severity::fault);
        EXPECT_EQ(got.seen, "maxmemory-policy " + std::string{policy});
        EXPECT_THAT(got.advice, HasSubstr("set maxmemory-policy noeviction"));
    }
    info("maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n");
    EXPECT_EQ(severity_of(check_eviction), severity::warning) << "nothing is evicted so far";
}

TEST_F(doctor_on_server, takes_the_policy_from_the_settings_if_info_is_refused)
{
    refuse_info();
    config("maxmemory-policy", "allkeys-lru");
    EXPECT_EQ(severity_of(check_eviction), severity::fault) << "there may be a limit";
}

TEST_F(doctor_on_server, says_what_it_could_not_check_and_why)
{
    refuse_info();
    refuse_config();
    for (const auto check : {check_eviction, check_memory, check_persistence, check_disk,
                             check_pauses, check_replication_lag, check_min_replicas}) {
        const auto got = of(check);
        EXPECT_FALSE(got.checked);
        EXPECT_EQ(got.severity, severity::note);
        EXPECT_EQ(got.seen, "not checked: no right for INFO");
    }
}

TEST_F(doctor_on_server, says_why_if_info_has_no_such_field)
{
    info("redis_version:7.0.15\r\n");
    for (const auto check : {check_eviction, check_memory, check_persistence, check_disk,
                             check_pauses, check_max_clients}) {
        EXPECT_EQ(of(check).seen, "not checked: INFO does not have it");
    }
    info("");
    for (const auto check : {check_replication_lag, check_min_replicas}) {
        EXPECT_EQ(of(check).seen, "not checked: INFO does not have it");
    }
    at_.kind = store_kind::cluster;
    EXPECT_EQ(of(check_cluster_state).seen, "not checked: CLUSTER INFO does not have it");
}

TEST_F(doctor_on_server, compares_used_memory_with_the_limit)
{
    EXPECT_EQ(of(check_memory).seen, "1 MB used, no maxmemory");
    const auto used = [&](int percent) {
        info("used_memory:" + std::to_string(percent * 10'000) + "\r\nmaxmemory:1000000\r\n");
        return severity_of(check_memory);
    };
    EXPECT_EQ(used(89), severity::ok);
    EXPECT_EQ(used(90), severity::warning);
    EXPECT_EQ(used(100), severity::fault);
}

TEST_F(doctor_on_server, says_what_a_restart_loses)
{
    config("appendonly", "no");
    config("save", "");
    EXPECT_EQ(of(check_persistence).seen, "no append-only file, no snapshots");
    EXPECT_EQ(severity_of(check_persistence), severity::warning);
    config("save", "3600 1 300 100");
    EXPECT_THAT(of(check_persistence).seen, HasSubstr("only snapshots (save 3600 1 300 100)"));
    EXPECT_EQ(severity_of(check_persistence), severity::warning);
    config("appendonly", "yes");
    config("appendfsync", "everysec");
    EXPECT_EQ(severity_of(check_persistence), severity::note);
    config("appendfsync", "always");
    EXPECT_EQ(severity_of(check_persistence), severity::ok);
}

TEST_F(doctor_on_server, knows_of_the_append_only_file_without_the_settings)
{
    refuse_config();
    EXPECT_EQ(of(check_persistence).seen, "no append-only file; snapshots: not known");
    EXPECT_EQ(severity_of(check_persistence), severity::warning);
    info("aof_enabled:1\r\n");
    EXPECT_EQ(of(check_persistence).seen, "append-only file, appendfsync unknown");
    EXPECT_EQ(severity_of(check_persistence), severity::note);
}

TEST_F(doctor_on_server, wants_no_persistence_of_nodes_of_a_quorum_and_of_the_private_server)
{
    at_.kind = store_kind::quorum;
    EXPECT_EQ(severity_of(check_persistence), severity::ok);
    at_.kind = store_kind::one_server;
    at_.is_local = true;
    EXPECT_EQ(severity_of(check_persistence), severity::note);
}

TEST_F(doctor_on_server, notices_that_it_cannot_write_to_disk)
{
    EXPECT_EQ(severity_of(check_disk), severity::ok);
    info("rdb_last_bgsave_status:err\r\naof_enabled:0\r\naof_last_write_status:ok\r\n");
    config("save", "3600 1");
    config("stop-writes-on-bgsave-error", "yes");
    EXPECT_EQ(severity_of(check_disk), severity::fault) << "MISCONF";
    config("stop-writes-on-bgsave-error", "no");
    EXPECT_EQ(severity_of(check_disk), severity::warning);
    info("rdb_last_bgsave_status:ok\r\naof_enabled:1\r\naof_last_write_status:err\r\n");
    EXPECT_EQ(severity_of(check_disk), severity::fault);
}

TEST_F(doctor_on_server, goes_on_after_a_failed_snapshot_if_it_makes_none_by_itself)
{
    info("rdb_last_bgsave_status:err\r\naof_enabled:0\r\naof_last_write_status:ok\r\n");
    config("stop-writes-on-bgsave-error", "yes");
    config("save", "");
    EXPECT_EQ(severity_of(check_disk), severity::note);
}

TEST_F(doctor_on_server, may_refuse_locks_after_a_failed_snapshot_if_the_settings_are_not_known)
{
    refuse_config();
    info("rdb_last_bgsave_status:err\r\naof_enabled:0\r\naof_last_write_status:ok\r\n");
    EXPECT_EQ(severity_of(check_disk), severity::warning);
    EXPECT_THAT(of(check_disk).why, HasSubstr("may refuse locks"));
}

TEST_F(doctor_on_server, does_not_mind_an_append_only_file_that_is_switched_off)
{
    info("rdb_last_bgsave_status:ok\r\naof_enabled:0\r\naof_last_write_status:err\r\n");
    EXPECT_EQ(severity_of(check_disk), severity::ok);
}

TEST_F(doctor_on_server, notices_long_forks)
{
    EXPECT_EQ(severity_of(check_pauses), severity::ok);
    info("latest_fork_usec:300000\r\n");
    EXPECT_EQ(severity_of(check_pauses), severity::note);
    info("latest_fork_usec:1500000\r\n");
    EXPECT_EQ(of(check_pauses).seen, "the last fork took 1.5 s");
    EXPECT_EQ(severity_of(check_pauses), severity::warning);
    info("latest_fork_usec:9223372036854775807\r\n");
    EXPECT_EQ(severity_of(check_pauses), severity::warning) << "no overflow";
}

}  // namespace
}  // namespace pawl::test
