// rediss+cluster://: a Redis Cluster with TLS, for clients and between its nodes.
#include "integration/contended.h"
#include "support/redis_cluster.h"
#include "support/tls_files.h"

#include <pawl/futures.h>

#include <string>

namespace pawl::test {
namespace {

class in_tls_cluster : public testing::Test {
protected:
    [[nodiscard]] client_options options()
    {
        client_options made;
        made.url = cluster_.url() + "?ca_file=" + files_.ca();
        events_.attach(made);
        return made;
    }

    event_log events_;
    tls_files files_;
    redis_cluster cluster_{{.node_timeout = 2s, .tls = &files_}};
};

TEST_F(in_tls_cluster, locks_are_taken_and_handed_over_at_every_node)
{
    ASSERT_TRUE(cluster_.url().starts_with("rediss+cluster://"));
    client one{options()};
    client other{options()};
    bool seen[3] = {};
    for (int i = 0; !seen[0] || !seen[1] || !seen[2]; ++i) {
        const auto name = "job" + std::to_string(i);
        const auto node = cluster_.owner_of(name);
        if (std::exchange(seen[node], true)) continue;
        mutex mine{one, name, quick(long_lease)};
        mutex theirs{other, name, quick(long_lease)};
        hold held = mine.acquire();
        EXPECT_EQ(cluster_.probe(node).get(name), held.id());
        auto next = futures::acquire(theirs);
        ASSERT_TRUE(
            eventually([&] { return cluster_.probe(node).exists("pawl:queue:{" + name + "}"); }));
        held.release();
        ASSERT_EQ(next.wait_for(soon), std::future_status::ready);
        EXPECT_EQ(cluster_.probe(node).get(name), next.get().id());
    }
    one.ping();
}

TEST_F(in_tls_cluster, a_lock_is_followed_to_the_new_primary)
{
    client own{options()};
    const auto node = cluster_.owner_of("job");
    mutex lock{own, "job", quick(long_lease)};
    hold held = lock.acquire();
    const auto replica = cluster_.replica_of(node);
    ASSERT_TRUE(replica);
    cluster_.failover(*replica);
    EXPECT_TRUE(held.confirm());
    held.release();
    EXPECT_FALSE(cluster_.probe(*replica).exists("job"));
}

TEST_F(in_tls_cluster, a_certificate_of_another_authority_is_refused)
{
    auto made = options();
    made.url = cluster_.url() + "?ca_file=" + files_.other_ca();
    made.command_limit = 1s;
    client own{made};
    const auto told = outcome_of([&] { own.ping(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "certificate"));
}

}  // namespace
}  // namespace pawl::test
