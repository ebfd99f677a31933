// What a replaced primary, under Sentinel or in a Cluster, means for kinds that are more than one lock: gates, conditions,
// leaders, sets of locks and once_per.
#include "integration/contended.h"
#include "store/redis/keys.h"
#include "support/redis_cluster.h"
#include "support/sentinel_group.h"

#include <pawl/futures.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

// ── The servers ─────────────────────────────────────────────────────────────────────────────────

enum class replacement { killed_under_sentinel, killed_in_cluster, on_request_in_cluster };

class replaceable_servers {
public:
    replaceable_servers() = default;
    virtual ~replaceable_servers() = default;
    replaceable_servers(const replaceable_servers&) = delete;
    replaceable_servers& operator=(const replaceable_servers&) = delete;

    [[nodiscard]] virtual std::string url() const = 0;

    // A name that the server decides about that will be replaced.
    [[nodiscard]] virtual std::string name(std::string_view begin) const = 0;

    // The server that decides about these names now.
    [[nodiscard]] virtual redis_probe primary() const = 0;
    [[nodiscard]] virtual int replicas() const = 0;

    // Returns when the servers agree which one is the new primary.
    virtual void replace() = 0;

    // The longest time from then until clients use it.
    [[nodiscard]] virtual std::chrono::milliseconds bound() const = 0;

    // Waits until all replicas have everything that was written so far.
    [[nodiscard]] bool are_in_step() const
    {
        auto probe = primary();
        probe.must({"SET", name("mark"), "1"});
        return probe.must({"WAIT", std::to_string(replicas()), "5000"}).integer == replicas();
    }
};

class with_sentinel final : public replaceable_servers {
public:
    std::string url() const override { return group_.url(); }
    std::string name(std::string_view begin) const override { return std::string{begin}; }
    redis_probe primary() const override { return group_.probe(primary_); }
    int replicas() const override { return 2; }
    void replace() override { primary_ = group_.wait_for_new_primary(group_.kill_primary()); }
    // As docs/topologies/sentinel.md says.
    std::chrono::milliseconds bound() const override { return 1s + slack; }

private:
    // One sentinel cannot disagree with others about who leads the failover, which would take a second longer.
    sentinel_group group_{{.sentinels = 1, .quorum = 1}};
    std::size_t primary_ = 0;
};

class with_cluster final : public replaceable_servers {
public:
    explicit with_cluster(bool on_request) : on_request_{on_request} {}

    std::string url() const override { return cluster_.url(); }
    std::string name(std::string_view begin) const override
    {
        for (int i = 0;; ++i) {
            auto made = std::string{begin} + std::to_string(i);
            if (cluster_.owner_of(made) == primary_) return made;
        }
    }
    redis_probe primary() const override { return cluster_.probe(primary_); }
    int replicas() const override { return 1; }
    void replace() override
    {
        const auto slot = redis_cluster::slot_of(name("job"));
        if (on_request_) {
            primary_ = cluster_.replica_of(primary_).value();
            cluster_.failover(primary_);
        } else {
            cluster_.node(primary_).kill();
            primary_ = cluster_.wait_for_new_owner(slot, primary_);
        }
    }
    // As docs/topologies/cluster.md says.
    std::chrono::milliseconds bound() const override { return 2s; }

private:
    redis_cluster cluster_;
    std::size_t primary_ = 0;
    bool on_request_;
};

// ── Waiters ─────────────────────────────────────────────────────────────────────────────────────

constexpr auto longest_wait = 2 * patience;

// A client that waits for what another one does.
struct waiter {
    std::vector<std::string> keys;  // where it has its places at the server
    std::function<void()> tell;     // the other one does it
    std::future<bool> told;         // false: the wait ended for another reason

    [[nodiscard]] bool is_known_to(redis_probe& server) const
    {
        return std::ranges::all_of(keys, [&](const auto& key) { return server.exists(key); });
    }
    [[nodiscard]] bool ends_within(std::chrono::milliseconds limit) const
    {
        return told.wait_for(limit) == std::future_status::ready;
    }
};

template <class Wait>
[[nodiscard]] std::future<bool> in_a_thread(Wait wait)
{
    return std::async(std::launch::async, std::move(wait));
}

// The new primary must also know the count before the failover.
waiter at_a_latch(client& waits, client& acts, const std::string& name)
{
    const auto theirs = std::make_shared<latch>(acts, name, 2);
    theirs->count_down();
    return {.keys = {store::queue_key(name)},
            .tell = [theirs] { theirs->count_down(); },
            .told = futures::wait_for(latch{waits, name, 2}, longest_wait)};
}

waiter at_a_barrier(client& waits, client& acts, const std::string& name)
{
    const auto mine = std::make_shared<barrier>(waits, name, 2);
    const auto theirs = std::make_shared<barrier>(acts, name, 2);
    return {.keys = {store::queue_key(name)},
            .tell = [theirs] { static_cast<void>(theirs->arrive()); },
            .told = in_a_thread([mine] { return mine->arrive().wait_for(longest_wait); })};
}

struct condition {
    condition(client& own, const std::string& name) : lock{own, name, quick(long_lease)} {}

    mutex lock;
    condition_variable more{lock, "more"};
};

waiter in_a_condition(client& waits, client& acts, const std::string& name)
{
    const auto mine = std::make_shared<condition>(waits, name);
    const auto theirs = std::make_shared<condition>(acts, name);
    return {.keys = {store::condition_key(name, "more")},
            .tell =
                [theirs] {
                    const std::scoped_lock held{theirs->lock};
                    theirs->more.notify_one();
                },
            .told = in_a_thread([mine] {
                std::unique_lock held{mine->lock};
                return mine->more.wait_for(held, longest_wait) == std::cv_status::no_timeout;
            })};
}

// It waits for a change of leaders, and is a candidate itself.
waiter at_an_election(client& waits, client& acts, const std::string& name)
{
    leader theirs{acts, name, quick(long_lease)};
    const auto mine = std::make_shared<leader>(waits, name, quick(long_lease));
    const auto term = std::make_shared<leader::term>(theirs.campaign("first"));
    const auto fence = term->fence();
    return {.keys = {store::watch_key(name), store::queue_key(name)},
            .tell =
                [term] {
                    EXPECT_TRUE(term->confirm());
                    term->resign();
                },
            .told = in_a_thread([mine, fence] {
                auto changed = futures::wait_for(mine->changed_since(fence), longest_wait);
                const auto next = mine->try_campaign_for("second", longest_wait);
                return next && next->fence() > fence && changed.get();
            })};
}

waiter for_a_set_of_locks(client& waits, client& acts, const std::string& tag)
{
    const std::vector<std::string> names{"{" + tag + "}a", "{" + tag + "}b"};
    const auto mine = std::make_shared<lock_set>(waits, names, quick(long_lease));
    const auto held = std::make_shared<hold>(acquire_all(acts, names, quick(long_lease)));
    const auto fence = held->fence();
    return {.keys = {store::queue_key(names.front())},
            .tell =
                [held] {
                    EXPECT_TRUE(held->confirm());
                    held->release();
                },
            .told = in_a_thread([mine, fence] {
                const auto next = mine->try_acquire_for(longest_wait);
                return next && next->fence() > fence;
            })};
}

// ── The tests ───────────────────────────────────────────────────────────────────────────────────

[[nodiscard]] std::unique_ptr<replaceable_servers> make_servers(replacement how)
{
    if (how == replacement::killed_under_sentinel) return std::make_unique<with_sentinel>();
    return std::make_unique<with_cluster>(how == replacement::on_request_in_cluster);
}

class replaced_primary : public testing::TestWithParam<replacement> {
protected:
    [[nodiscard]] client_options options()
    {
        client_options made;
        made.url = servers_->url();
        made.command_limit = patience;
        events_.attach(made);
        return made;
    }

    // Returns when all wait, and the replicas know it.
    [[nodiscard]] bool begin_to_wait()
    {
        waiters_.push_back(at_a_latch(one_, other_, servers_->name("latch")));
        waiters_.push_back(at_a_barrier(one_, other_, servers_->name("barrier")));
        waiters_.push_back(in_a_condition(one_, other_, servers_->name("job")));
        waiters_.push_back(at_an_election(one_, other_, servers_->name("leader")));
        waiters_.push_back(for_a_set_of_locks(one_, other_, servers_->name("set")));
        auto primary = servers_->primary();
        const auto is_known = [&](const waiter& each) { return each.is_known_to(primary); };
        return eventually([&] { return std::ranges::all_of(waiters_, is_known); }) &&
               servers_->are_in_step();
    }

    // The channels of pawl's clients at the present primary, plain and sharded.
    [[nodiscard]] std::vector<std::string> channels() const
    {
        auto primary = servers_->primary();
        auto all = primary.must({"PUBSUB", "CHANNELS", "pawl:client:*"}).texts();
        // Before 7.0 this is an error.
        const auto sharded = primary.command({"PUBSUB", "SHARDCHANNELS", "pawl:client:*"}).texts();
        all.insert(all.end(), sharded.begin(), sharded.end());
        std::ranges::sort(all);
        return all;
    }

    event_log events_;
    std::unique_ptr<replaceable_servers> servers_ = make_servers(GetParam());
    client one_{options()};
    client other_{options()};
    std::vector<waiter> waiters_;
};

// No waiter looks sooner than after 10 s, so a message has told it.
TEST_P(replaced_primary, is_left_by_waiters_of_every_kind_and_the_new_one_tells_them)
{
    ASSERT_TRUE(begin_to_wait());
    const auto before = channels();
    ASSERT_FALSE(before.empty());
    servers_->replace();
    EXPECT_TRUE(eventually(servers_->bound(), [&] { return channels() == before; }))
        << "they listen there";
    for (auto& each : waiters_) {
        EXPECT_FALSE(each.ends_within(0ms)) << each.keys.front() << " was told for no reason";
        each.tell();
        ASSERT_TRUE(each.ends_within(soon)) << each.keys.front();
        EXPECT_TRUE(each.told.get()) << each.keys.front();
    }
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

// The messages may be sent before the waiters listen.
TEST_P(replaced_primary, does_not_delay_waiters_of_what_happens_at_the_new_one_at_once)
{
    ASSERT_TRUE(begin_to_wait());
    servers_->replace();
    for (auto& each : waiters_) each.tell();
    for (auto& each : waiters_) {
        ASSERT_TRUE(each.ends_within(servers_->bound())) << each.keys.front();
        EXPECT_TRUE(each.told.get()) << each.keys.front();
    }
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

TEST_P(replaced_primary, does_not_end_the_run_of_a_once_per_and_its_period_is_used_up)
{
    const auto name = servers_->name("report");
    once_per mine{one_, name, 1h};
    once_per theirs{other_, name, 1h};
    auto turn = mine.try_begin();
    ASSERT_TRUE(turn);
    ASSERT_TRUE(servers_->are_in_step());
    servers_->replace();
    std::error_code told;
    EXPECT_FALSE(theirs.try_begin(told));
    EXPECT_EQ(told, errc::busy) << told.message();
    EXPECT_EQ(outcome_of([&] { turn->done(); }).message, "");
    EXPECT_FALSE(theirs.try_begin(told));
    EXPECT_EQ(told, errc::not_due) << told.message();
    EXPECT_GT(theirs.due_in(), 59min);
    EXPECT_TRUE(once_per(other_, servers_->name("another"), 1h).try_begin());
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

std::string replacement_name(const testing::TestParamInfo<replacement>& info)
{
    switch (info.param) {
    case replacement::killed_under_sentinel: return "killed_under_sentinel";
    case replacement::killed_in_cluster: return "killed_in_cluster";
    case replacement::on_request_in_cluster: return "on_request_in_cluster";
    }
    return {};
}

INSTANTIATE_TEST_SUITE_P(every, replaced_primary,
                         testing::Values(replacement::killed_under_sentinel,
                                         replacement::killed_in_cluster,
                                         replacement::on_request_in_cluster),
                         replacement_name);

}  // namespace
}  // namespace pawl::test
