// A leader on a real server: several processes that are killed, lost answers, permissions.
#include "integration/access_fixture.h"
#include "integration/child.h"
#include "integration/contended.h"
#include "support/acl_rule.h"
#include "support/fault_proxy.h"
#include "support/shared_file.h"
#include "support/temp_dir.h"

#include <atomic>
#include <csignal>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace pawl::test {
namespace {

using afterwards = fault_proxy::afterwards;
using steady = std::chrono::steady_clock;

class a_leader : public contended {
protected:
    [[nodiscard]] std::future<leader::term> candidate(leader& where, std::string payload,
                                                      std::int64_t all = 1)
    {
        auto waits = std::async(std::launch::async, [&where, payload = std::move(payload)] {
            return where.campaign(payload);
        });
        EXPECT_TRUE(until_queued(all, "primary"));
        return waits;
    }

    [[nodiscard]] std::future<bool> watcher(leader& where, std::uint64_t seen)
    {
        auto waits = std::async(std::launch::async, [&where, seen] {
            return where.changed_since(seen).wait_for(2 * patience);
        });
        EXPECT_TRUE(eventually([&] { return probe_.exists("pawl:watch:{primary}"); }));
        return waits;
    }

    [[nodiscard]] std::string seen()
    {
        const auto now = third_leader_.current();
        return now ? now->payload : "-";
    }

    // Through the proxy, with connections made and scripts loaded.
    [[nodiscard]] std::unique_ptr<client> proxied_client()
    {
        auto through = options(proxy_.url());
        through.command_limit = 3s;
        auto made = std::make_unique<client>(through);
        leader warm{*made, "warm-up"};
        auto term = warm.campaign("x");
        EXPECT_FALSE(term.yield_to("y"));
        return made;
    }

    fault_proxy proxy_{server_.port()};
    leader first_leader_{first_, "primary", quick(long_lease)};
    leader second_leader_{second_, "primary", quick(long_lease)};
    leader third_leader_{third_, "primary", quick(long_lease)};
};

TEST_F(a_leader, is_seen_and_followed_at_once)
{
    EXPECT_EQ(seen(), "-");
    auto comes = watcher(third_leader_, 0);
    auto term = first_leader_.campaign("one");
    // Sooner than a watcher or a candidate would look.
    ASSERT_EQ(comes.wait_for(soon), std::future_status::ready);
    EXPECT_EQ(seen(), "one");
    auto next = candidate(second_leader_, "two");
    auto change = watcher(third_leader_, term.fence());
    term.resign();
    ASSERT_EQ(next.wait_for(soon), std::future_status::ready);
    ASSERT_EQ(change.wait_for(soon), std::future_status::ready);
    EXPECT_EQ(seen(), "two");
    next.get().resign();
    EXPECT_EQ(probe_.keys("*"), (std::vector<std::string>{"pawl:fence:{primary}"}));
    EXPECT_GT(probe_.ttl("pawl:fence:{primary}"), 23h);
}

TEST_F(a_leader, shows_any_bytes)
{
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    const auto term = first_leader_.campaign(bytes);
    EXPECT_EQ(seen(), bytes);
}

TEST_F(a_leader, yields_to_a_candidate)
{
    auto term = first_leader_.campaign("one");
    auto two = candidate(second_leader_, "two", 1);
    auto three = candidate(third_leader_, "three", 2);
    EXPECT_FALSE(term.yield_to("four"));
    EXPECT_TRUE(term.yield_to("three"));
    ASSERT_EQ(three.wait_for(soon), std::future_status::ready);
    EXPECT_EQ(seen(), "three");
    auto next = three.get();
    EXPECT_TRUE(next.yield_to("two"));
    ASSERT_EQ(two.wait_for(soon), std::future_status::ready);
}

TEST_F(a_leader, leads_once_if_the_answer_to_its_campaign_is_lost)
{
    const auto own = proxied_client();
    leader mine{*own, "primary", quick(long_lease)};
    for (const auto then : {afterwards::close, afterwards::silence}) {
        proxy_.swallow_reply_to(touches("primary"), 1, then);
        auto term = mine.campaign("one");
        EXPECT_EQ(third_leader_.current()->fence, term.fence());
        EXPECT_EQ(seen(), "one");
        term.resign();
        EXPECT_EQ(seen(), "-");
    }
    EXPECT_EQ(proxy_.counts().swallowed, 2U);
}

TEST_F(a_leader, knows_that_it_has_yielded_if_the_answer_is_lost)
{
    const auto own = proxied_client();
    leader mine{*own, "primary", quick(long_lease)};
    auto term = mine.campaign("one");
    auto next = candidate(second_leader_, "two");
    proxy_.swallow_reply_to(touches("primary"), 1, afterwards::close);
    EXPECT_TRUE(term.yield_to("two"));
    auto second = next.get();
    EXPECT_EQ(seen(), "two");
    EXPECT_TRUE(second.confirm());
}

TEST_F(a_leader, goes_on_if_the_answer_that_nobody_waits_is_lost)
{
    const auto own = proxied_client();
    leader mine{*own, "primary", quick(long_lease)};
    auto term = mine.campaign("one");
    proxy_.swallow_reply_to(touches("primary"), 1, afterwards::close);
    EXPECT_FALSE(term.yield_to("two"));
    EXPECT_TRUE(term.confirm());
    EXPECT_EQ(proxy_.counts().swallowed, 1U);
}

TEST_F(a_leader, needs_only_the_smallest_acl_rule)
{
    client own{as_clerk(probe_, options(), smallest_rule())};
    leader mine{own, "stock:leader"};
    auto term = mine.campaign("one");
    EXPECT_FALSE(term.yield_to("two"));
    EXPECT_TRUE(term.confirm());
    term.extend(1min);
    auto next = std::async(std::launch::async, [&] { return mine.campaign("two"); });
    ASSERT_TRUE(until_queued(1, "stock:leader"));
    EXPECT_FALSE(mine.try_campaign_for("three", 20ms)) << "it joins the queue and leaves it again";
    EXPECT_FALSE(mine.changed_since(term.fence()).wait_for(20ms));
    EXPECT_TRUE(term.yield_to("two"));
    next.get().resign();
    EXPECT_FALSE(mine.current());
    EXPECT_TRUE(probe_.must({"ACL", "LOG"}).items.empty());
}

// ── Processes that are killed ───────────────────────────────────────────────────────────────────

constexpr int candidates = 4;
constexpr auto lease = 600ms;

// What the candidates share besides the server.
struct arena {
    std::atomic<bool> over;
    std::atomic<std::int64_t> terms;
    std::atomic<std::int64_t> inside_until_ns;  // until when the leader certainly leads
};

std::int64_t now_ns()
{
    return std::chrono::nanoseconds{steady::now().time_since_epoch()}.count();
}

// Returns the problem. Empty if there is none.
std::string lead_once(leader& where, arena& shared, const std::string& payload)
{
    std::error_code ec;
    auto term = where.try_campaign_for(payload, 20s, ec);
    if (!term) return "no turn: " + ec.message();
    if (now_ns() < shared.inside_until_ns && term->valid_for() > 0ms) return "two lead";
    shared.inside_until_ns = now_ns() + term->valid_for().count();
    ++shared.terms;
    const auto now = where.current(ec);
    const bool mine = now && now->payload == payload && now->fence == term->fence();
    if (!ec && !mine && term->valid_for() > 0ms) return "another payload is shown";
    std::this_thread::sleep_for(2ms);  // the work of a leader
    shared.inside_until_ns = 0;
    term->resign(ec);
    return {};
}

const child_role campaigning{"campaigning", [](const child_arguments& arguments) {
                                 client own{arguments.at(0)};
                                 leader where{own, "primary", quick(lease)};
                                 const shared_file<arena> shared{arguments.at(1)};
                                 const auto payload = std::to_string(::getpid());
                                 while (!shared->over) {
                                     const auto problem = lead_once(where, *shared, payload);
                                     if (problem.empty()) continue;
                                     say(problem);
                                     return 3;
                                 }
                                 return 0;
                             }};

TEST_F(a_leader, that_is_killed_is_followed_and_no_two_lead_at_the_same_time)
{
    const temp_dir files;
    const shared_file<arena> shared{files.file("arena")};
    const auto start = [&] {
        return std::make_unique<process>(
            campaigning.start({server_.unix_url(), files.file("arena")}));
    };
    std::vector<std::unique_ptr<process>> all;
    for (int i = 0; i < candidates; ++i) all.push_back(start());
    ASSERT_TRUE(eventually([&] { return shared->terms > candidates; }));

    // A watcher sees leaders with fences that grow, and never the payload of another one.
    std::uint64_t last = 0;
    int changes = 0;
    std::mt19937 dice{std::random_device{}()};
    const auto end = steady::now() + 4s;
    auto next_kill = steady::now();
    while (steady::now() < end && !HasFailure()) {
        if (third_leader_.changed_since(last).wait_for(10ms)) {
            const auto now = third_leader_.current();
            if (now) {
                EXPECT_GT(now->fence, last);
                last = now->fence;
                ++changes;
            }
        }
        if (steady::now() < next_kill) continue;
        next_kill += 100ms;
        auto& victim = all[dice() % all.size()];
        victim->signal(SIGKILL);
        ASSERT_EQ(victim->wait(patience), killed_by(SIGKILL)) << victim->out();
        victim = start();
    }
    EXPECT_GT(changes, 3);
    shared->over = true;
    for (const auto& each : all) {
        EXPECT_EQ(each->wait(2 * patience), exited(0)) << each->out() << each->err();
    }
    EXPECT_TRUE(eventually([&] {
        return probe_.keys("*") == std::vector<std::string>{"pawl:fence:{primary}"};
    })) << testing::PrintToString(probe_.keys("*"));
}

}  // namespace
}  // namespace pawl::test
