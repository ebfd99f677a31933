// Facts for the checks of the doctor, as servers of several versions tell them.
#pragma once

#include "doctor/checks.h"
#include "doctor/reading.h"
#include "doctor/rights.h"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::test {

using namespace std::chrono_literals;

inline core::failure no_permission(const std::string& text)
{
    return {.what = core::failure_kind::refused, .detail = "NOPERM " + text};
}

class doctor_checks : public testing::Test {
protected:
    using findings = doctor::findings;

    doctor_checks()
    {
        server_.server = "redis://a:6379";
        info(redis_7);
    }

    void info(std::string_view text) { server_.info.values = doctor::fields::of_lines(text); }
    void refuse_info() { server_.info = {.values = {}, .problem = "no right for INFO"}; }
    void hello(std::vector<std::string> pairs)
    {
        server_.hello.values = doctor::fields::of_pairs(pairs);
    }
    void config(const std::string& name, const std::string& value)
    {
        server_.config.set(name, value);
    }
    void refuse_config() { server_.config.refuse("no right for CONFIG GET"); }

    // The only finding.
    static finding only(const findings& all)
    {
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? finding{} : all.front();
    }
    template <class Check>
    finding of(Check check) const
    {
        return only(check(server_, at_));
    }
    template <class Check>
    severity severity_of(Check check) const
    {
        return of(check).severity;
    }

    // What each of them says without a problem.
    static constexpr std::string_view redis_6 =
        "# Server\r\nredis_version:6.2.14\r\nrun_id:aaaa\r\n# Clients\r\nconnected_clients:3\r\n"
        "maxclients:10000\r\n# Memory\r\nused_memory:864232\r\nmaxmemory:0\r\n"
        "maxmemory_policy:noeviction\r\n# Persistence\r\nrdb_last_bgsave_status:ok\r\n"
        "aof_enabled:0\r\naof_last_write_status:ok\r\n# Stats\r\nlatest_fork_usec:0\r\n"
        "# Replication\r\nrole:master\r\nconnected_slaves:0\r\nmaster_repl_offset:0\r\n";
    static constexpr std::string_view redis_7 =
        "# Server\r\nredis_version:7.0.15\r\nrun_id:bbbb\r\n# Clients\r\nconnected_clients:3\r\n"
        "cluster_connections:0\r\nmaxclients:10000\r\n# Memory\r\nused_memory:1081736\r\n"
        "maxmemory:0\r\nmaxmemory_policy:noeviction\r\n# Persistence\r\nasync_loading:0\r\n"
        "rdb_changes_since_last_save:0\r\nrdb_last_bgsave_status:ok\r\naof_enabled:0\r\n"
        "aof_last_write_status:ok\r\n# Stats\r\nlatest_fork_usec:0\r\n# Replication\r\n"
        "role:master\r\nconnected_slaves:0\r\nmaster_repl_offset:0\r\n";
    static constexpr std::string_view valkey_9 =
        "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.0.1\r\n"
        "valkey_release_stage:ga\r\nrun_id:cccc\r\navailability_zone:\r\n# Clients\r\n"
        "connected_clients:1\r\nmaxclients:10000\r\n# Memory\r\nused_memory:914032\r\n"
        "maxmemory:0\r\nmaxmemory_policy:noeviction\r\n# Persistence\r\n"
        "rdb_last_bgsave_status:ok\r\naof_enabled:0\r\naof_last_write_status:ok\r\n# Stats\r\n"
        "latest_fork_usec:0\r\n# Replication\r\nrole:master\r\nconnected_slaves:0\r\n"
        "master_repl_offset:0\r\n";

    doctor::server_facts server_;
    doctor::circumstances at_;
};

}  // namespace pawl::test
