// A client of a quorum that is destroyed right after a release, while a node is slow or silent.
#include "integration/quorum_fixture.h"
#include "support/fault_proxy.h"

#include <optional>

namespace pawl::test {
namespace {

class quorum_shutdown : public with_quorum {
protected:
    // So long that a vote does not end by itself during the test.
    static constexpr auto long_lease = 30s;

    [[nodiscard]] client_options patient_options(const std::string& first)
    {
        auto made = options_for("redlock:" + first + "," + nodes_.node(1).url() + "," +
                                nodes_.node(2).url());
        made.longest_lease = long_lease;
        return made;
    }
};

TEST_F(quorum_shutdown, waits_for_a_slow_node_so_that_no_vote_stays_there)
{
    fault_proxy slow{nodes_.node(0).port()};
    std::optional<client> own{patient_options(slow.url())};
    mutex lock{*own, "lock", {.lease = long_lease}};
    auto held = lock.acquire();
    ASSERT_TRUE(eventually([&] { return holders_of("lock") == 3; }));
    // The node must ask for the script, so one message is not enough.
    nodes_.node(0).probe().must({"SCRIPT", "FLUSH"});
    slow.delay(50ms);
    held.release();
    ASSERT_EQ(on_nodes("lock").front(), held.id()) << "the slow node has not executed it yet";
    own.reset();
    EXPECT_EQ(holders_of("lock"), 0U);
}

TEST_F(quorum_shutdown, is_not_delayed_by_a_node_that_is_down)
{
    std::optional<client> own{patient_options(nodes_.node(0).url())};
    mutex lock{*own, "lock", {.lease = long_lease}};
    auto held = lock.acquire();
    ASSERT_TRUE(eventually([&] { return holders_of("lock") == 3; }));
    nodes_.node(0).kill();
    held.release();
    EXPECT_LT(time_of([&] { own.reset(); }), 300ms);
}

TEST_F(quorum_shutdown, waits_for_a_frozen_node_for_half_a_second)
{
    std::optional<client> own{patient_options(nodes_.node(0).url())};
    mutex lock{*own, "lock", {.lease = long_lease}};
    // From now on the nodes have the scripts.
    lock.acquire().release();
    ASSERT_TRUE(eventually([&] { return holders_of("lock") == 0; }));
    auto held = lock.acquire();
    ASSERT_TRUE(eventually([&] { return holders_of("lock") == 3; }));
    // All nodes answer, so nothing that the client has yet to read makes the frozen one look alive.
    static_cast<void>(own->nodes());
    nodes_.node(0).freeze();
    held.release();
    EXPECT_LT(time_of([&] { own.reset(); }), 900ms);
    nodes_.node(0).thaw();
    EXPECT_TRUE(eventually([&] { return holders_of("lock") == 0; }))
        << "the node executes late what was sent";
}

TEST_F(quorum_shutdown, is_not_delayed_by_a_node_that_was_never_reached)
{
    nodes_.node(0).freeze();
    std::optional<client> own{patient_options(nodes_.node(0).url())};
    mutex lock{*own, "lock", {.lease = long_lease}};
    lock.acquire().release();
    EXPECT_LT(time_of([&] { own.reset(); }), 300ms);
    nodes_.node(0).thaw();
}

TEST_F(quorum_shutdown, does_not_take_longer_than_its_limit)
{
    auto made = patient_options(nodes_.node(0).url());
    made.shutdown_limit = 50ms;
    std::optional<client> own{made};
    mutex lock{*own, "lock", {.lease = long_lease}};
    auto held = lock.acquire();
    ASSERT_TRUE(eventually([&] { return holders_of("lock") == 3; }));
    nodes_.node(0).freeze();
    held.release();
    EXPECT_LT(time_of([&] { own.reset(); }), 300ms);
    nodes_.node(0).thaw();
}

}  // namespace
}  // namespace pawl::test
