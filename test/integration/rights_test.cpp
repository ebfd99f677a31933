// Users with few permissions: what the smallest rule allows, and what happens without a part of it.
#include "integration/access_fixture.h"
#include "support/acl_rule.h"

#include <cstddef>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class rights : public with_server {
protected:
    client_options as_clerk(const std::vector<std::string>& rule)
    {
        return test::as_clerk(probe_, options(), rule);
    }

    // Every operation that sends a request, with any outcome.
    void try_everything(client_options made)
    {
        made.shutdown_limit = 50ms;
        client own{made};
        for (const layout where : {layout::plain, layout::hash}) {
            recursive_mutex lock{own, "stock:42", quick(1s, where)};
            std::error_code ignored;
            hold held = lock.try_acquire(ignored).value_or(hold{});
            held.extend(2s, ignored);
            (void)lock.try_acquire(ignored);
            held.release(ignored);
            hold again = lock.try_acquire(ignored).value_or(hold{});
            probe_.must({"DEL", "stock:42"});
            (void)again.confirm(ignored);
            (void)hands_over(
                made, where, [&] { return is_queued(); }, [&] { return denials() > 0; });
        }
        // A waiter behind a foreign holder looks again from its place.
        probe_.must({"SET", "stock:44", "0123456789abcdef0123456789abcdef", "PX", "10000"});
        fair_mutex shared{own, "stock:44", quick(1s)};
        std::error_code told;
        for (int i = 0; i < 2; ++i) (void)shared.try_acquire_for(200ms, told);
        probe_.must({"DEL", "stock:44"});
        // These acquires are bare, once the server's clock has moved on since the client connected.
        mutex often{own, "stock:43", quick(1s)};
        for (int i = 0; i < 4; ++i) {
            std::error_code ignored;
            (void)often.try_acquire(ignored);
            std::this_thread::sleep_for(2ms);
        }
        try_permits(own);
        std::error_code refused;
        (void)leader{own, "stock:49"}.try_campaign("payload", refused);
        try_once(own);
        mutex jobs{own, "stock:52", quick(1s)};
        condition_variable{jobs, "more"}.notify_one(refused);
        (void)outcome_of([&] { own.ping(); });
        made.database = 1;
        client elsewhere{made};
        (void)outcome_of([&] { elsewhere.ping(); });
    }

    // One client has all permits and gives them back while another waits. Returns whether the other
    // got them.
    bool hands_over_permits(const client_options& made)
    {
        client one{made};
        client other{made};
        counting_semaphore first{one, "stock:45", 2, quick(10s)};
        counting_semaphore second{other, "stock:45", 2, quick(10s)};
        hold held = first.acquire(2);
        EXPECT_FALSE(second.try_acquire_for(20ms));  // it gives up and leaves the queue
        auto waiting =
            std::async(std::launch::async, [&] { return second.try_acquire_for(8s).has_value(); });
        EXPECT_TRUE(eventually([&] { return is_queued(); }));
        held.release();
        const bool got = waiting.get();
        probe_.must({"DEL", "stock:45"});
        return got;
    }

    // A set of two locks waits for one lock after the other, is renewed, and is given back.
    void hand_over_a_set(const client_options& made, layout where)
    {
        client one{made};
        client other{made};
        mutex first{one, "stock:45", quick(10s, where)};
        mutex second{one, "stock:51", quick(10s, where)};
        lock_set both{other, {"stock:45", "stock:51"}, quick(600ms, where)};
        hold held = first.acquire();
        hold also = second.acquire();
        auto waiting = std::async(std::launch::async, [&] { return both.try_acquire_for(8s); });
        EXPECT_TRUE(eventually([&] { return is_queued(); }));
        held.release();
        EXPECT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{stock:51}"); }));
        also.release();
        const auto got = waiting.get();
        ASSERT_TRUE(got);
        EXPECT_TRUE(always(1s, [&] { return got->state() == hold_state::held; }));
    }

    // A waiter is notified, and has the lock again.
    static void use_condition(client& own)
    {
        mutex jobs{own, "stock:52", quick(10s)};
        condition_variable more{jobs, "more"};
        hold held = jobs.acquire();
        EXPECT_EQ(more.wait_for(held, 20ms), std::cv_status::timeout);
        auto notified = std::async(std::launch::async, [&] {
            // It waits for the lock, and so for the waiter.
            const std::scoped_lock guard{jobs};
            more.notify_one();
        });
        more.wait(held);
        notified.get();
        EXPECT_TRUE(held.confirm());
    }

    using condition = std::function<bool()>;

    // One client holds a lock and releases it while another waits for it, as `waits` says. Returns
    // whether the other got it, unless `enough` became true before.
    bool hands_over(
        const client_options& made, layout where, const condition& waits,
        const condition& enough = [] { return false; })
    {
        client one{made};
        client other{made};
        mutex first{one, "stock:45", quick(10s, where)};
        fair_mutex second{other, "stock:45", quick(10s, where)};
        std::error_code ignored;
        hold held = first.try_acquire(ignored).value_or(hold{});
        (void)second.try_acquire_for(20ms, ignored);  // it gives up and leaves the queue
        EXPECT_TRUE(eventually([&] { return !is_queued() || enough(); }));
        std::stop_source stop;
        auto waiting = std::async(std::launch::async, [&] {
            std::error_code told;
            return second.try_acquire_for(8s, stop.get_token(), told).has_value();
        });
        const auto ended = [&] { return waiting.wait_for(0s) == std::future_status::ready; };
        EXPECT_TRUE(eventually([&] { return waits() || enough() || ended(); }));
        held.release(ignored);
        EXPECT_TRUE(eventually([&] { return enough() || ended(); }));
        stop.request_stop();
        return waiting.get();
    }

    bool hands_over_by_queue(const client_options& made, layout where)
    {
        return hands_over(made, where, [&] { return is_queued(); });
    }

    bool is_queued() { return probe_.exists("pawl:queue:{stock:45}"); }

    // One client lets a lock linger until another client wants it. Returns whether that client got
    // it.
    static bool is_given_up_when_wanted(const client_options& made, layout where)
    {
        client one{made};
        client other{made};
        lock_options lingering = quick(10s, where);
        lingering.linger = 1min;
        mutex first{one, "stock:46", lingering};
        mutex second{other, "stock:46", quick(10s, where)};
        for (int i = 0; i < 3; ++i) first.acquire().release();
        return second.try_acquire_for(patience).has_value();
    }

    std::size_t denials() { return probe_.must({"ACL", "LOG"}).items.size(); }
};

TEST_F(rights, of_the_smallest_rule_are_enough)
{
    const client_options made = as_clerk(smallest_rule());
    client own{made};
    use_everything(own);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
    try_everything(made);
    for (const layout where : {layout::plain, layout::hash}) {
        probe_.reset_stats();
        EXPECT_TRUE(hands_over_by_queue(made, where));
        EXPECT_GT(probe_.calls("rpush"), 0) << "there was a queue";
        EXPECT_GT(probe_.calls("lpop"), 0) << "and a hand-over";
        EXPECT_GT(probe_.calls("publish"), 0) << "and a message";
        EXPECT_TRUE(is_given_up_when_wanted(made, where));
    }
    EXPECT_TRUE(hands_over_permits(made));
    for (const layout where : {layout::plain, layout::hash}) hand_over_a_set(made, where);
    use_condition(own);
    EXPECT_EQ(denials(), 0);
}

TEST_F(rights, of_the_smallest_rule_without_hashes_are_enough_for_a_semaphore)
{
    const client_options made = as_clerk(smallest_rule("hash layout"));
    client own{made};
    try_permits(own);
    EXPECT_TRUE(hands_over_permits(made));
    EXPECT_EQ(denials(), 0);
}

TEST_F(rights, of_the_smallest_rule_for_plain_locks_are_enough_for_them)
{
    std::vector<std::string> rule = smallest_rule("hash layout");
    std::erase_if(rule, [](const std::string& word) { return word.starts_with("+z"); });
    const client_options made = as_clerk(rule);
    client own{made};
    mutex lock{own, "stock:42", quick(2400ms)};
    hold held = lock.acquire();
    EXPECT_TRUE(held.confirm());
    held.extend(2500ms);
    EXPECT_TRUE(always(2s, [&] { return held.state() == hold_state::held; }));
    held.release();
    EXPECT_TRUE(hands_over_by_queue(made, layout::plain));
    EXPECT_TRUE(is_given_up_when_wanted(made, layout::plain));
    EXPECT_EQ(denials(), 0);
}

TEST_F(rights, of_the_smallest_rule_are_all_needed)
{
    const std::vector<std::string> rule = smallest_rule();
    for (std::size_t i = 0; i < rule.size(); ++i) {
        if (!contains("+~&", rule[i].substr(0, 1))) continue;
        std::vector<std::string> less = rule;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        probe_.must({"FLUSHALL"});
        probe_.must({"SCRIPT", "FLUSH"});
        probe_.must({"ACL", "LOG", "RESET"});
        try_everything(as_clerk(less));
        EXPECT_GT(denials(), 0) << rule[i] << " is not needed";
    }
}

TEST_F(rights, to_channels_are_not_needed_for_a_lock)
{
    const client_options made = as_clerk({"~*", "+@all", "resetchannels"});
    client own{made};
    use_everything(own);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
    for (const layout where : {layout::plain, layout::hash}) {
        // It polls, with pauses of at most 100 ms.
        probe_.reset_stats();
        const auto asks = [&] { return probe_.calls("evalsha") >= 10; };
        EXPECT_LT(time_of([&] { EXPECT_TRUE(hands_over(made, where, asks)); }), 2s);
        // A client that cannot hear that its lock is wanted does not let it linger.
        EXPECT_LT(time_of([&] { EXPECT_TRUE(is_given_up_when_wanted(made, where)); }), slack);
    }
    EXPECT_TRUE(probe_.keys("pawl:queue:*").empty())
        << "a client that cannot listen does not join the queue";
    EXPECT_GT(denials(), 0);
}

TEST_F(rights, to_channels_that_only_some_clients_lack_make_no_caller_wait_forever)
{
    client mute{as_clerk({"~*", "+@all", "resetchannels"})};
    client other{options()};
    mutex first{mute, "stock:47", quick(1500ms)};
    mutex second{other, "stock:47", quick(1500ms)};
    hold held = first.acquire();
    auto waiting = std::async(std::launch::async,
                              [&] { return second.try_acquire_for(patience).has_value(); });
    ASSERT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{stock:47}"); }));
    EXPECT_LT(time_of([&] {
                  held.release();
                  EXPECT_TRUE(waiting.get());
              }),
              500ms + slack)
        << "a waiter looks every third of its lease";
}

TEST_F(rights, to_other_names_are_refused)
{
    client own{as_clerk(smallest_rule())};
    mutex lock{own, "staff:1", quick(10s)};
    const outcome told = outcome_of([&] { (void)lock.try_acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "staff:1"));
    EXPECT_FALSE(probe_.exists("staff:1"));
}

TEST_F(rights, to_the_fence_are_needed_before_the_lock_is_taken)
{
    client own{as_clerk({"~stock:*", "resetchannels", "+@all"})};
    for (const layout where : {layout::plain, layout::hash}) {
        mutex lock{own, "stock:42", quick(10s, where)};
        EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).code, errc::refused);
        EXPECT_FALSE(probe_.exists("stock:42"));
    }
}

TEST_F(rights, missing_in_the_middle_of_a_script_leave_nothing_behind)
{
    for (const char* missing : {"+time", "+pexpire", "+set", "+hset"}) {
        std::vector<std::string> rule = smallest_rule();
        std::erase(rule, missing);
        client own{as_clerk(rule)};
        for (const layout where : {layout::plain, layout::hash}) {
            mutex lock{own, "stock:42", quick(1min, where)};
            (void)outcome_of([&] { (void)lock.try_acquire(); });
            EXPECT_TRUE(eventually(2s, [&] { return !probe_.exists("stock:42"); }))
                << "without " << missing << " a lock stays for " << probe_.ttl("stock:42").count()
                << " ms";
            probe_.must({"DEL", "stock:42"});
        }
    }
}

TEST_F(rights, missing_in_the_middle_of_a_script_leave_no_permit_out)
{
    for (const char* missing : {"+time", "+pexpire", "+set", "+zadd"}) {
        std::vector<std::string> rule = smallest_rule();
        std::erase(rule, missing);
        client own{as_clerk(rule)};
        counting_semaphore seats{own, "stock:42", 2, quick(1min)};
        EXPECT_EQ(outcome_of([&] { (void)seats.try_acquire(); }).code, errc::refused) << missing;
        EXPECT_TRUE(eventually(
            2s, [&] { return probe_.must({"ZCOUNT", "stock:42", "1", "+inf"}).integer == 0; }))
            << "without " << missing << " a permit stays out";
        probe_.must({"DEL", "stock:42"});
    }
}

TEST_F(rights, missing_for_a_command_inside_a_script_are_refused)
{
    client own{as_clerk({"~*", "resetchannels", "-@all", "+eval", "+evalsha"})};
    mutex lock{own, "stock:42", quick(10s)};
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).code, errc::refused);
}

}  // namespace
}  // namespace pawl::test
