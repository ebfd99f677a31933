// What the doctor says about how a server treats clients and replicas.
#include "unit/doctor_fixture.h"

namespace pawl::test {
namespace {

using namespace doctor;
using testing::HasSubstr;
using testing::IsEmpty;

using doctor_on_clients = doctor_checks;

TEST_F(doctor_on_clients, does_not_guess_settings_that_are_refused)
{
    refuse_config();
    for (const auto check : {check_client_timeout, check_output_limit, check_tcp_keepalive,
                             check_script_limit, check_notifications, check_replica_settings}) {
        EXPECT_EQ(of(check).seen, "not checked: no right for CONFIG GET");
    }
}

TEST_F(doctor_on_clients, notes_a_timeout_of_idle_connections)
{
    config("timeout", "0");
    EXPECT_EQ(severity_of(check_client_timeout), severity::ok);
    config("timeout", "300");
    EXPECT_EQ(severity_of(check_client_timeout), severity::note);
}

TEST_F(doctor_on_clients, warns_of_small_output_limits_for_subscribers)
{
    const auto limit = [&](const std::string& pubsub) {
        config("client-output-buffer-limit",
               "normal 0 0 0 slave 268435456 67108864 60 pubsub " + pubsub);
        return severity_of(check_output_limit);
    };
    EXPECT_EQ(limit("33554432 8388608 60"), severity::ok);
    EXPECT_EQ(limit("65536 8388608 60"), severity::warning);
    EXPECT_EQ(limit("33554432 65536 60"), severity::warning);
    EXPECT_EQ(limit("0 0 0"), severity::note);
    config("client-output-buffer-limit", "normal 0 0 0");
    EXPECT_FALSE(of(check_output_limit).checked);
}

TEST_F(doctor_on_clients, wants_tcp_keepalive)
{
    config("tcp-keepalive", "300");
    EXPECT_EQ(severity_of(check_tcp_keepalive), severity::ok);
    config("tcp-keepalive", "0");
    EXPECT_EQ(severity_of(check_tcp_keepalive), severity::warning);
}

TEST_F(doctor_on_clients, counts_connections)
{
    const auto used = [&](int count) {
        info("connected_clients:" + std::to_string(count) + "\r\nmaxclients:100\r\n");
        return severity_of(check_max_clients);
    };
    EXPECT_EQ(used(79), severity::ok);
    EXPECT_EQ(used(80), severity::warning);
    EXPECT_EQ(used(95), severity::fault);
    info("connected_clients:80\r\n");  // before 6.2 the limit is a setting only
    EXPECT_FALSE(of(check_max_clients).checked);
    config("maxclients", "1000");
    EXPECT_EQ(severity_of(check_max_clients), severity::ok);
}

TEST_F(doctor_on_clients, notes_scripts_that_may_block_for_long)
{
    config("lua-time-limit", "5000");
    EXPECT_EQ(severity_of(check_script_limit), severity::ok);
    config("busy-reply-threshold", "60000");
    EXPECT_EQ(severity_of(check_script_limit), severity::note);
    config("busy-reply-threshold", "0");
    EXPECT_EQ(severity_of(check_script_limit), severity::note);
}

TEST_F(doctor_on_clients, notes_messages_about_keys)
{
    config("notify-keyspace-events", "");
    EXPECT_EQ(severity_of(check_notifications), severity::ok);
    config("notify-keyspace-events", "KEA");
    EXPECT_EQ(severity_of(check_notifications), severity::note);
}

TEST_F(doctor_on_clients, finds_replicas_that_are_behind)
{
    EXPECT_THAT(check_replication_lag(server_, at_), IsEmpty()) << "there are none";
    const auto replica = [&](const std::string& text) {
        info("connected_slaves:1\r\nmaster_repl_offset:3000000\r\nslave0:ip=10.0.0.2,port=6379," +
             text + "\r\n");
        return of(check_replication_lag);
    };
    EXPECT_EQ(replica("state=online,offset=2999000,lag=1").seen,
              "1 replica, at most 1000 bytes behind");
    EXPECT_EQ(replica("state=online,offset=3000000,lag=0").severity, severity::ok);
    EXPECT_EQ(replica("state=online,offset=1000000,lag=1").severity, severity::warning);
    EXPECT_EQ(replica("state=online,offset=3000000,lag=9").severity, severity::warning);
    const auto loading = replica("state=wait_bgsave,offset=0,lag=0");
    EXPECT_EQ(loading.severity, severity::warning);
    EXPECT_THAT(loading.seen, HasSubstr("replica 10.0.0.2:6379: wait_bgsave"));
}

TEST_F(doctor_on_clients, wants_a_primary_with_sentinels_to_stop_without_replicas)
{
    EXPECT_THAT(check_min_replicas(server_, at_), IsEmpty()) << "one server without replicas";
    at_.kind = store_kind::sentinel;
    config("min-replicas-to-write", "0");
    info("connected_slaves:2\r\n");
    EXPECT_EQ(severity_of(check_min_replicas), severity::warning);
    at_.kind = store_kind::one_server;
    EXPECT_EQ(severity_of(check_min_replicas), severity::note) << "nobody replaces it by itself";
    at_.kind = store_kind::sentinel;
    config("min-replicas-to-write", "1");
    info("connected_slaves:2\r\nmin_slaves_good_slaves:2\r\n");
    EXPECT_EQ(severity_of(check_min_replicas), severity::ok);
    config("min-replicas-max-lag", "60");
    EXPECT_EQ(severity_of(check_min_replicas), severity::note);
    info("connected_slaves:1\r\nmin_slaves_good_slaves:1\r\n");
    EXPECT_EQ(severity_of(check_min_replicas), severity::note) << "no replica to spare";
    info("connected_slaves:0\r\nmin_slaves_good_slaves:0\r\n");
    EXPECT_EQ(severity_of(check_min_replicas), severity::fault) << "NOREPLICAS";
    at_.kind = store_kind::quorum;
    EXPECT_THAT(check_min_replicas(server_, at_), IsEmpty());
}

TEST_F(doctor_on_clients, knows_that_a_lag_of_0_switches_min_replicas_off)
{
    at_.kind = store_kind::sentinel;
    config("min-replicas-to-write", "1");
    config("min-replicas-max-lag", "0");
    info("connected_slaves:0\r\n");
    EXPECT_EQ(of(check_min_replicas).seen,
              "min-replicas-to-write 1, but min-replicas-max-lag 0 switches it off");
    EXPECT_EQ(severity_of(check_min_replicas), severity::warning);
}

TEST_F(doctor_on_clients, sees_in_info_that_replicas_are_demanded)
{
    at_.kind = store_kind::sentinel;
    refuse_config();
    info("connected_slaves:2\r\nmin_slaves_good_slaves:2\r\n");
    EXPECT_EQ(severity_of(check_min_replicas), severity::ok);
    info("connected_slaves:2\r\n");
    EXPECT_EQ(severity_of(check_min_replicas), severity::warning);
}

TEST_F(doctor_on_clients, survives_numbers_that_make_no_sense)
{
    const std::string greatest = "9223372036854775807";
    const std::string least = "-9223372036854775808";
    info("connected_slaves:" + greatest + "\r\nmaster_repl_offset:" + greatest +
         "\r\nslave0:ip=10.0.0.2,port=6379,state=online,offset=" + least + ",lag=0\r\n");
    EXPECT_EQ(severity_of(check_replication_lag), severity::warning);
    info("connected_slaves:" + greatest + "\r\n");
    EXPECT_THAT(check_replication_lag(server_, at_), IsEmpty());
    info("connected_clients:" + greatest + "\r\nmaxclients:" + least + "\r\n");
    EXPECT_EQ(severity_of(check_max_clients), severity::fault);
    for (const auto& number : {greatest, least}) {
        config("busy-reply-threshold", number);
        EXPECT_EQ(severity_of(check_script_limit), severity::note);
    }
}

TEST_F(doctor_on_clients, warns_of_replicas_that_accept_writes)
{
    config("replica-read-only", "yes");
    EXPECT_EQ(severity_of(check_replica_settings), severity::ok);
    config("replica-read-only", "no");
    EXPECT_EQ(severity_of(check_replica_settings), severity::warning);
}

}  // namespace
}  // namespace pawl::test
